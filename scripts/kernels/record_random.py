"""Records the streams of genuine TensorFlow's random ops, several runs of one session each.

    python scripts/kernels/record_random.py

Writes tests/fixtures/state/random.json: one node a line. Large outputs are kept as a digest of their bytes and their last elements.
"""

import hashlib
import json

import numpy as np

import record
import tensorflow as tf
from kernel_case import case, tensor

RUNS = 3
FEW = 40


def ints(*values, dtype="int32"):
    return tensor(dtype, list(values))


def shaped(op, dtype, size, seed=42, seed2=7):
    return case(op, ints(size), dtype=dtype, seed=seed, seed2=seed2)


def cases():
    for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        for dtype in ("float", "double", "half", "bfloat16"):
            for size in (1, 7, 33, 1000):
                yield shaped(op, dtype, size)
        yield shaped(op, "float", 5, seed=2**40 + 3, seed2=-5)
        yield shaped(op, "float", 5, seed=0, seed2=1)
        yield case(op, ints(2, 0), dtype="float", seed=1)
        yield case(op, ints(2, 3, dtype="int64"), dtype="float", seed=1)
    for op in ("RandomUniform", "TruncatedNormal"):
        for dtype in ("float", "double"):
            yield shaped(op, dtype, 1_000_003)
    yield shaped("RandomStandardNormal", "float", 300_001)
    for dtype in ("int32", "int64"):
        for low, high in ((0, 100), (-5, 6), (-(2**31) if dtype == "int32" else -(2**63), 2**31 - 1)):
            for size in (1, 7, 1000):
                yield case("RandomUniformInt", ints(size), tensor(dtype, low), tensor(dtype, high), seed=42, seed2=7)
        yield case("RandomUniformInt", ints(1_000_003), tensor(dtype, 0), tensor(dtype, 10**6), seed=42, seed2=7)
        yield case("RandomUniformInt", ints(3), tensor(dtype, 5), tensor(dtype, 5), seed=42, seed2=7)
        yield case("RandomUniformInt", ints(3), tensor(dtype, [5, 6]), tensor(dtype, 7), seed=42, seed2=7)
    for dtype in ("float", "int64", "string", "bool", "complex128"):
        values = [b"a", b"b", b"c", b"d"] if dtype == "string" else [0, 1, 2, 3]
        yield case("RandomShuffle", tensor(dtype, values), seed=42, seed2=7)
    yield case("RandomShuffle", tensor("int32", np.arange(1000)), seed=42, seed2=7)
    yield case("RandomShuffle", tensor("int32", np.arange(12), [6, 2]), seed=42, seed2=7)
    yield case("RandomShuffle", tensor("int32", np.arange(3), [1, 3]), seed=42, seed2=7)
    yield case("RandomShuffle", tensor("int32", 3), seed=42, seed2=7)
    for dtype in ("float", "double"):
        logits = tensor(dtype, [[0.0, 1.0, 2.0], [5.0, 0.0, -1.0]])
        yield case("Multinomial", logits, tensor("int32", 5), seed=42, seed2=7)
        yield case("Multinomial", logits, tensor("int32", 40), seed=42, seed2=7, output_dtype="int32")
    yield case("Multinomial", tensor("float", [0.0, 1.0]), tensor("int32", 5), seed=42, seed2=7)


def summary(value: np.ndarray) -> dict:
    if value.size <= FEW:
        return record.encode(value)
    tail = record.encode(value.reshape(-1)[-8:])
    return {**tail, "shape": list(value.shape), "sha256": hashlib.sha256(value.tobytes()).hexdigest()}


def record_node(each) -> dict:
    answer = {"op": each.op, "inputs": [record.encode(value) for value in each.inputs], "runs": []}
    with tf.Graph().as_default():
        placeholders, operation = record.build(each)
        answer["attrs"] = record.attrs_of(operation)
        with tf.compat.v1.Session(config=record.session_config()) as session:
            for _ in range(RUNS):
                try:
                    answer["runs"].append(summary(np.asarray(session.run(operation.outputs[0], dict(zip(placeholders, each.inputs))))))
                except tf.errors.OpError as error:
                    answer["error"] = {"code": error.error_code, "message": record.message_of(error)}
                    break
    return answer


def main() -> None:
    tf.compat.v1.disable_eager_execution()
    lines = [json.dumps(record_node(each), separators=(",", ":")) for each in cases()]
    target = record.ROOT / "tests/fixtures/state/random.json"
    target.write_text('{"tensorflow":"%s","nodes":[\n%s\n]}\n' % (tf.__version__, ",\n".join(lines)))


if __name__ == "__main__":
    main()
