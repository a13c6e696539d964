"""Records what genuine TensorFlow's training and scatter ops make of variables.

    python scripts/kernels/record_updates.py

Writes tests/fixtures/state/updates.json: one call a line, with the values of its variables before and after. The ops on
reference variables are recorded; those on resource variables compute the same and are tested with the same answers.
"""

import json

import numpy as np

import record
import tensorflow as tf
from kernel_case import FLOATS, tensor
from tensorflow.python.framework import op_def_registry

V1 = tf.compat.v1
SIZES = (1, 4, 23)


def spread(dtype, size, shift):
    """Ordinary values, none of them special."""
    return tensor(dtype, np.sin(np.arange(size) * 1.7 + shift) * 2 + 0.25)


def positive(dtype, size, shift):
    return tensor(dtype, np.abs(np.cos(np.arange(size) * 0.9 + shift)) + 0.125)


def scalar(dtype, value):
    return tensor(dtype, value)


def training(dtype, size):
    var, grad = spread(dtype, size, 0), spread(dtype, size, 1)
    one, two, three = (positive(dtype, size, shift) for shift in (2, 3, 4))
    small = tensor(dtype, spread("double", size, 5) * 0.01)
    s = lambda value: scalar(dtype, value)
    yield "ApplyGradientDescent", [var], [s(0.3), grad], {}
    for nesterov in (False, True):
        yield "ApplyMomentum", [var, one], [s(0.3), grad, s(0.9)], {"use_nesterov": nesterov}
        adam = [s(0.81), s(0.998), s(0.01), s(0.9), s(0.999), s(1e-4), grad]
        yield "ApplyAdam", [var, small, two], adam, {"use_nesterov": nesterov}
    yield "ApplyAdagrad", [var, one], [s(0.3), grad], {}
    yield "ApplyAdagrad", [var, one], [s(0.3), grad], {"update_slots": False}
    yield "ApplyAdagradV2", [var, one], [s(0.3), s(1e-3), grad], {}
    yield "ApplyRMSProp", [var, one, two], [s(0.01), s(0.9), s(0.5), s(1e-3), grad], {}
    yield "ApplyCenteredRMSProp", [var, small, two, three], [s(0.01), s(0.9), s(0.5), s(1e-3), grad], {}
    yield "ApplyAdadelta", [var, one, two], [s(0.3), s(0.95), s(1e-3), grad], {}


def scatter(dtype):
    params = tensor(dtype, [[1, 2], [3, 4], [5, 6], [7, 8]])
    rows = tensor("int32", [2, 0, 2])
    updates = tensor(dtype, [[3, 1], [2, 2], [5, 3]])
    for name in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max"):
        if name in ("Update", "Add", "Sub", "Mul", "Div") or dtype in FLOATS + ("int32", "int64"):
            yield f"Scatter{name}", [params], [rows, updates], {}
            yield f"Scatter{name}", [params], [tensor("int64", [[1], [3]]), tensor(dtype, [[[2, 3]], [[4, 5]]])], {}
            yield f"Scatter{name}", [params], [rows, tensor(dtype, 2)], {}


def calls():
    for dtype in FLOATS:
        for size in SIZES:
            yield from training(dtype, size)
    for dtype in FLOATS + ("int32", "int64", "uint8", "int16"):
        yield from scatter(dtype)
    yield "ScatterUpdate", [tensor("bool", [True, False])], [tensor("int32", [1]), tensor("bool", [True])], {}
    vector = tensor("float", [1, 2, 3])
    yield "ScatterAdd", [vector], [tensor("int32", 1), tensor("float", 5)], {}
    yield "ScatterAdd", [vector], [tensor("int32", [3]), tensor("float", [7])], {}
    yield "ScatterAdd", [vector], [tensor("int32", [[0], [-1]]), tensor("float", [[7], [2]])], {}


def record_call(op, variables, inputs, attrs):
    definition = op_def_registry.get(op)
    names = [argument.name for argument in definition.input_arg]
    answer = {"op": op, "variables": [record.encode(each) for each in variables], "inputs": [record.encode(each) for each in inputs]}
    with tf.Graph().as_default():
        refs = [tf.raw_ops.VariableV2(shape=each.shape, dtype=tf.as_dtype(each.dtype)) for each in variables]
        fed = [V1.placeholder(each.dtype) for each in inputs]
        with V1.Session(config=record.session_config()) as session:
            for ref, value in zip(refs, variables):
                holder = V1.placeholder(value.dtype)
                session.run(tf.raw_ops.Assign(ref=ref, value=holder).op, {holder: value})
            result = getattr(tf.raw_ops, op)(**dict(zip(names, refs + fed)), **attrs)
            answer["attrs"] = record.attrs_of(result.op)
            try:
                session.run(result.op, dict(zip(fed, inputs)))
                answer["after"] = [record.encode(session.run(tf.identity(ref))) for ref in refs]
            except tf.errors.OpError as error:
                answer["error"] = {"code": error.error_code, "message": record.message_of(error)}
    return answer


def main() -> None:
    tf.compat.v1.disable_eager_execution()
    lines = []
    for call in calls():
        try:
            lines.append(json.dumps(record_call(*call), separators=(",", ":")))
        except TypeError as error:
            print(f"not served: {call[0]} {call[1][0].dtype}: {str(error)[:120]}")
    target = record.ROOT / "tests/fixtures/state/updates.json"
    target.write_text('{"tensorflow":"%s","calls":[\n%s\n]}\n' % (tf.__version__, ",\n".join(lines)))


if __name__ == "__main__":
    main()
