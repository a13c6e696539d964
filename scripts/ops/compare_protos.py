"""Compares proto/tensorflow with the descriptors in an installed TensorFlow.

Every field and enum value of ours must exist there with the same number, type and label; we may declare
fewer. Messages that the Python package does not ship (master and worker services) are listed, not compared.

Usage, from the repository root: python scripts/ops/compare_protos.py
"""

import os
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from google.protobuf import descriptor_pb2
from tensorflow.compiler.xla.tsl.protobuf import distributed_runtime_payloads_pb2, error_codes_pb2
from tensorflow.core.framework import device_attributes_pb2, graph_pb2, op_def_pb2, step_stats_pb2
from tensorflow.core.protobuf import config_pb2, named_tensor_pb2, tensorflow_server_pb2

ROOT_MODULES = (
    config_pb2,
    device_attributes_pb2,
    distributed_runtime_payloads_pb2,
    error_codes_pb2,
    graph_pb2,
    named_tensor_pb2,
    op_def_pb2,
    step_stats_pb2,
    tensorflow_server_pb2,
)


def installed_files():
    files = {}

    def visit(file):
        if file.name in files:
            return
        proto = files[file.name] = descriptor_pb2.FileDescriptorProto()
        file.CopyToProto(proto)
        for dependency in file.dependencies:
            visit(dependency)

    for module in ROOT_MODULES:
        visit(module.DESCRIPTOR)
    return files.values()


def our_files():
    buf = os.path.join("node_modules", ".bin", "buf")
    image = subprocess.run([buf, "build", "--as-file-descriptor-set", "-o", "-"], check=True, stdout=subprocess.PIPE)
    return descriptor_pb2.FileDescriptorSet.FromString(image.stdout).file


def index(files):
    """Full name of each message and enum -> {(field or value name): comparable description}."""
    found = {}

    def add_enum(enum, scope):
        found[f"{scope}.{enum.name}"] = {value.name: value.number for value in enum.value}

    def add_message(message, scope):
        name = f"{scope}.{message.name}"
        oneofs = [oneof.name for oneof in message.oneof_decl]
        found[name] = {
            field.name: (
                field.number,
                field.Type.Name(field.type),
                field.Label.Name(field.label),
                field.type_name,
                oneofs[field.oneof_index] if field.HasField("oneof_index") else "",
            )
            for field in message.field
        }
        for enum in message.enum_type:
            add_enum(enum, name)
        for nested in message.nested_type:
            add_message(nested, name)

    for file in files:
        for enum in file.enum_type:
            add_enum(enum, f".{file.package}")
        for message in file.message_type:
            add_message(message, f".{file.package}")
    return found


def main():
    theirs = index(installed_files())
    ours = {name: body for name, body in index(our_files()).items() if name.startswith(".tensorflow")}
    compared = [name for name in ours if name in theirs]
    differences = [
        f"{name}.{field}: ours {value}, installed {theirs[name].get(field)}"
        for name in compared
        for field, value in ours[name].items()
        if theirs[name].get(field) != value
    ]
    print(f"compared {len(compared)} of {len(ours)}; not installed:", *sorted(set(ours) - set(compared)))
    print(*differences, sep="\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
