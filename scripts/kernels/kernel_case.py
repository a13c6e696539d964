"""Vocabulary of the case tables in tests/fixtures/kernels/cases: what one call of one kernel looks like."""

from dataclasses import dataclass, field
from typing import Any, Iterable, Sequence

import ml_dtypes
import numpy as np

NUMPY_TYPES = {
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "bool": np.bool_,
    "complex64": np.complex64,
    "complex128": np.complex128,
    "string": object,
}
DTYPES = {np.dtype(numpy_type): name for name, numpy_type in NUMPY_TYPES.items()}

FLOATS = ("float", "double", "half", "bfloat16")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
NUMBERS = FLOATS + SIGNED + UNSIGNED


@dataclass
class Case:
    """One call: inputs in the order of the op's definition, each input list flattened into it."""

    op: str
    inputs: Sequence[np.ndarray]
    attrs: dict[str, Any] = field(default_factory=dict)
    note: str = ""


def tensor(dtype: str, values: Any, shape: Iterable[int] | None = None) -> np.ndarray:
    """An array of a TensorFlow type; strings are given as bytes."""
    array = np.array(values, dtype=NUMPY_TYPES[dtype])
    return array if shape is None else array.reshape(tuple(shape))


def case(op: str, *inputs: np.ndarray, note: str = "", **attrs: Any) -> Case:
    """`attrs` are Python values of the op's attrs (types as TensorFlow names); those that the inputs decide may be left out."""
    return Case(op, inputs, attrs, note)
