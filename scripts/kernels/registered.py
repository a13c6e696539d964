"""Writes which types genuine TensorFlow's CPU kernels serve, for every op that has recorded cases.

    python scripts/kernels/registered.py
"""

import json
import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from tensorflow.python.framework import dtypes, kernels, op_def_registry

FIXTURES = Path(__file__).resolve().parents[2] / "tests/fixtures/kernels"
OUR_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def recorded_ops() -> list[str]:
    families = [json.loads(path.read_text()) for path in FIXTURES.glob("*.json")]
    return sorted({case["op"] for family in families for case in family["cases"]})


def served_types(op: str) -> dict[str, list[str]]:
    """Attr -> types that the op's definition allows and a CPU kernel serves; empty when no attr narrows them."""
    allowed = {attr.name: set(attr.allowed_values.list.type) for attr in op_def_registry.get(op).attr}
    served: dict[str, set[str]] = {}
    for kernel in kernels.get_registered_kernels_for_op(op).kernel:
        if kernel.device_type != "CPU" or kernel.label:
            continue
        for constraint in kernel.constraint:
            numbers = set(constraint.allowed_values.list.type)
            names = [dtypes.as_dtype(number).name for number in numbers & (allowed[constraint.name] or numbers)]
            served.setdefault(constraint.name, set()).update(OUR_NAMES.get(name, name) for name in names)
    return {attr: sorted(names) for attr, names in sorted(served.items())}


def main() -> None:
    folder = FIXTURES / "registered"
    folder.mkdir(exist_ok=True)
    lines = [f"{json.dumps(op)}: {json.dumps(served_types(op))}" for op in recorded_ops()]
    (folder / "cpu.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
