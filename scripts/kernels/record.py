"""Records what genuine TensorFlow answers to every kernel case.

    python scripts/kernels/record.py [family…]

Each tests/fixtures/kernels/cases/<family>.py defines `CASES` (an iterable of `Case`) and may define `TOLERANCE`
("op" or "op dtype" -> {"ulps": n, "absolute": x}; everything else must agree exactly). The answers go to tests/fixtures/kernels/<family>.json,
one case a line: attrs as protobuf JSON, outputs or error. The ops run in graph mode on the CPU with unknown shapes, so that
the kernels and not the graph builder judge the inputs; oneDNN is off, because its results differ from machine to machine.
"""

import base64
import importlib.util
import json
import os
import re
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from tensorflow.core.framework import attr_value_pb2, graph_pb2
from tensorflow.python.framework import op_def_registry

from kernel_case import DTYPES, Case

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests/fixtures/kernels"
SHORT_TYPES = {"float": "float32", "double": "float64", "half": "float16"}


def number(value) -> object:
    """Shortest text that reads back equal; what JSON has no number for becomes a string."""
    wide = float(value)
    if np.isnan(wide):
        return "NaN"
    if np.isinf(wide):
        return "Infinity" if wide > 0 else "-Infinity"
    if wide == 0 and np.signbit(wide):
        return "-0"
    text = float(str(value)) if value.dtype == np.float32 else wide
    return int(text) if text == int(text) and abs(text) < 1e15 else text


def element(dtype: str, value) -> list:
    if dtype == "string":
        return [base64.b64encode(value if isinstance(value, bytes) else bytes(value)).decode()]
    if dtype == "bool":
        return [bool(value)]
    if dtype in ("int64", "uint64"):
        return [str(value)]
    if dtype.startswith("complex"):
        return [number(value.real), number(value.imag)]
    if dtype.startswith(("int", "uint")):
        return [int(value)]
    return [number(value)]


def encode(array) -> dict:
    array = np.asarray(array)
    if array.dtype.kind in "SU":
        array = array.astype(object)
    dtype = DTYPES[array.dtype]
    values = [part for value in array.reshape(-1) for part in element(dtype, value)]
    return {"dtype": dtype, "shape": list(array.shape), "values": values}


def attr_value(kind: str, value) -> attr_value_pb2.AttrValue:
    """A Python value as an attr of the kind that the op's definition names."""
    if kind == "type":
        return attr_value_pb2.AttrValue(type=tf.as_dtype(SHORT_TYPES.get(value, value)).as_datatype_enum)
    if kind == "shape":
        return attr_value_pb2.AttrValue(shape=tf.TensorShape(value).as_proto())
    if kind == "list(int)":
        return attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(i=value))
    if kind == "list(string)":
        return attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(s=[each.encode() for each in value]))
    field = {"int": "i", "bool": "b", "float": "f", "string": "s"}[kind]
    return attr_value_pb2.AttrValue(**{field: value.encode() if kind == "string" else value})


def inferred_attrs(definition, inputs) -> dict:
    """What the inputs say about type and number attrs."""
    attrs, rest = {}, [tf.as_dtype(each.dtype if each.dtype != object else "string").as_datatype_enum for each in inputs]
    for index, argument in enumerate(definition.input_arg):
        listed = argument.number_attr or argument.type_list_attr
        count = len(rest) - (len(definition.input_arg) - index - 1) if listed else 1
        types, rest = rest[:count], rest[count:]
        if argument.number_attr:
            attrs[argument.number_attr] = attr_value_pb2.AttrValue(i=count)
        if argument.type_list_attr:
            attrs[argument.type_list_attr] = attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(type=types))
        elif argument.type_attr:
            attrs[argument.type_attr] = attr_value_pb2.AttrValue(type=types[0])
    return attrs


def build(case: Case) -> tuple[list, tf.Operation]:
    """The op over placeholders of unknown shape, in the default graph."""
    definition = op_def_registry.get(case.op)
    kinds = {attr.name: attr.type for attr in definition.attr}
    placeholders = [tf.compat.v1.placeholder(each.dtype if each.dtype != object else tf.string) for each in case.inputs]
    graph = graph_pb2.GraphDef()
    node = graph.node.add(name=case.op.lstrip("_"), op=case.op, input=[f"input{index}" for index in range(len(placeholders))])
    given = {name: attr_value(kinds[name], value) for name, value in case.attrs.items()}
    for name, value in {**inferred_attrs(definition, case.inputs), **given}.items():
        node.attr[name].CopyFrom(value)
    feeds = {f"input{index}": placeholder for index, placeholder in enumerate(placeholders)}
    for name, placeholder in feeds.items():
        graph.node.add(name=name, op="Placeholder").attr["dtype"].type = placeholder.dtype.as_datatype_enum
    tf.graph_util.import_graph_def(graph, input_map=feeds, name="")
    return placeholders, tf.compat.v1.get_default_graph().get_operation_by_name(case.op.lstrip("_"))


def attrs_of(operation: tf.Operation) -> dict:
    return {
        name: json_format.MessageToDict(value)
        for name, value in sorted(operation.node_def.attr.items())
        if not name.startswith("_")
    }


def message_of(error: tf.errors.OpError) -> str:
    """What the kernel said, without what graph and session add."""
    return re.sub(r"\n\t \[\[.*", "", re.sub(r"^.*\nNode: '[^']*'\n", "", error.message, flags=re.S), flags=re.S)


def session_config() -> tf.compat.v1.ConfigProto:
    config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    return config


def record(case: Case) -> dict:
    answer = {"op": case.op, "inputs": [encode(each) for each in case.inputs]}
    if case.note:
        answer["note"] = case.note
    with tf.Graph().as_default():
        placeholders, operation = build(case)
        answer["attrs"] = attrs_of(operation)
        with tf.compat.v1.Session(config=session_config()) as session:
            try:
                outputs = session.run(operation.outputs, dict(zip(placeholders, case.inputs)))
                answer["outputs"] = [
                    encode(np.asarray(value, dtype=tensor.dtype.as_numpy_dtype)) for value, tensor in zip(outputs, operation.outputs)
                ]
            except tf.errors.OpError as error:
                answer["error"] = {"code": error.error_code, "message": message_of(error)}
    return answer


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record_family(path: Path) -> None:
    module = load(path)
    head = {"tensorflow": tf.__version__, "tolerance": getattr(module, "TOLERANCE", {})}
    lines = []
    for case in module.CASES:
        try:
            lines.append(json.dumps(record(case), separators=(",", ":")))
        except (TypeError, ValueError) as error:
            shapes = " ".join(f"{each.dtype}{list(each.shape)}" for each in case.inputs)
            print(f"{path.stem}: no graph has {case.op} {shapes} {case.attrs}: {error}", file=sys.stderr)
    text = json.dumps(head)[:-1] + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"
    (FIXTURES / f"{path.stem}.json").write_text(text)
    errors = sum('"error":' in line for line in lines)
    print(f"{path.stem}: {len(lines)} cases, {errors} of them errors")


def main() -> None:
    tf.compat.v1.disable_eager_execution()
    wanted = set(sys.argv[1:])
    for path in sorted((FIXTURES / "cases").glob("*.py")):
        if not wanted or path.stem in wanted:
            record_family(path)


if __name__ == "__main__":
    main()
