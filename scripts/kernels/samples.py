"""Values that the case tables share."""

import numpy as np

from kernel_case import FLOATS, tensor

NAN, INF = float("nan"), float("inf")
EDGES = {
    "float": [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e30, -1e-30, INF, -INF, NAN],
    "double": [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 3.0, 1e300, -1e-300, INF, -INF, NAN],
    "half": [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1000.0, INF, NAN],
    "bfloat16": [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e30, INF, NAN],
}


def edges(dtype: str) -> list:
    """Values at the borders of a type and some ordinary ones."""
    if dtype in EDGES:
        return EDGES[dtype]
    if dtype == "bool":
        return [False, True]
    limits = np.iinfo(dtype)
    return sorted({int(limits.min), max(-7, int(limits.min)), max(-1, int(limits.min)), 0, 1, 2, 7, 100, int(limits.max)})


def ordinary(dtype: str) -> list:
    """Values whose products, sums and quotients stay in range; no zero."""
    if dtype in FLOATS:
        return [1.5, -2.0, 0.25, 3.0, -0.75, 8.0]
    return [1, 2, 3, 5, 7, 11] if dtype.startswith("u") else [1, -2, 3, -5, 7, 11]


def grid(dtype: str, left: list, right: list) -> tuple[np.ndarray, np.ndarray]:
    """Two tensors whose broadcast meets every value of one list with every value of the other."""
    return tensor(dtype, left, [len(left), 1]), tensor(dtype, right)


def ramp(dtype: str, *shape: int) -> np.ndarray:
    """Small distinct values, alternating in sign where the type has one, in a shape."""
    size = int(np.prod(shape))
    values = np.arange(1, size + 1)
    if dtype == "bool":
        return tensor(dtype, values % 3 == 0, shape)
    if not dtype.startswith("u"):
        values = values * np.where(values % 3 == 0, -1, 1)
    return tensor(dtype, values * 0.5 if dtype in FLOATS else values, shape)


def filled(dtype: str, *shape: int) -> np.ndarray:
    """Distinct elements in a shape; strings too."""
    if dtype != "string":
        return ramp(dtype, *shape)
    size = int(np.prod(shape))
    return tensor("string", [b"s%d" % index for index in range(size)], shape)
