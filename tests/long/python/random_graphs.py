"""Random graphs whose results do not depend on who computes them.

A value carries what is known of it: whether its floats are exact (small multiples of a power of two, on which additions and
the like make no rounding error) and how large they can be. Ops that tell close numbers apart (comparisons, floor, argmax)
take exact values only, so that a difference in the last bit never becomes a large one.
"""

import numpy as np
import tensorflow.compat.v1 as tf

FLOATS = (tf.float32, tf.float64)
INTEGERS = (tf.int32, tf.int64)
NUMBERS = FLOATS + INTEGERS
MAX_ELEMENTS = 200
MAX_EXACT = 2.0**12
MAX_BOUND = 1e6


class Value:
    def __init__(self, tensor, exact=True, bound=4.0):
        self.tensor = tensor
        self.exact = exact or tensor.dtype.base_dtype not in FLOATS
        self.bound = float(bound)

    @property
    def dtype(self):
        return self.tensor.dtype.base_dtype

    @property
    def shape(self):
        return self.tensor.shape.as_list()

    @property
    def size(self):
        return int(np.prod(self.shape))


class Builder:
    """A graph under construction: values to compute with, and the tensors to fetch."""

    def __init__(self, seed, devices):
        self.random = np.random.RandomState(seed)
        self.devices = devices
        self.values = []
        self.feeds = {}
        self._seed = seed
        self._names = 0

    def chance(self, probability):
        return self.random.rand() < probability

    def pick(self, choices):
        return choices[self.random.randint(len(choices))]

    def device(self):
        """Of one of the tasks, or nowhere in particular."""
        return tf.device(self.pick(self.devices) if self.chance(0.7) else None)

    def fresh_name(self):
        """For a variable, which would else be shared with the graphs before and after."""
        self._names += 1
        return 'of_graph_%d_number_%d' % (self._seed, self._names)

    def shape(self, rank=None):
        rank = self.random.randint(4) if rank is None else rank
        sizes = [0, 1, 2, 3, 4] if self.chance(0.2) else [1, 2, 3, 4]
        return [int(self.pick(sizes)) for _ in range(rank)]

    def numbers(self, dtype, shape):
        if dtype == tf.bool:
            return np.asarray(self.random.rand(*shape) < 0.5)
        if dtype in INTEGERS:
            return np.asarray(self.random.randint(-4, 5, size=shape), dtype.as_numpy_dtype)
        return np.asarray(self.random.randint(-16, 17, size=shape) / 4, dtype.as_numpy_dtype)

    def source(self, dtype=None, shape=None):
        dtype = self.pick(NUMBERS + (tf.bool, tf.float32, tf.float32)) if dtype is None else dtype
        numbers = self.numbers(dtype, self.shape() if shape is None else shape)
        with self.device():
            if self.chance(0.5):
                return self.add(tf.constant(numbers))
            placeholder = tf.placeholder(dtype, numbers.shape)
        self.feeds[placeholder] = numbers
        return self.add(placeholder)

    def add(self, tensor, exact=True, bound=4.0):
        value = Value(tensor, exact, bound)
        self.values.append(value)
        return value

    def find(self, dtypes, rank=0, shape=None, exact=False, fits=lambda value: True):
        """A value like this; a new one when there is none."""

        def is_wanted(value):
            return (
                value.dtype in dtypes
                and len(value.shape) >= rank
                and (shape is None or value.shape == shape)
                and (value.exact or not exact)
                and fits(value)
            )

        found = [value for value in self.values if is_wanted(value)]
        if found and self.chance(0.9):
            return self.pick(found)
        if shape is not None:
            return self.source(self.pick(dtypes), shape)
        while True:
            value = self.source(self.pick(dtypes), self.shape(self.random.randint(rank, 4)))
            if fits(value):
                return value

    def result(self, tensors, inputs, exact=True, bound=None):
        """Takes over what an op has made of its inputs, unless it is too large to go on with."""
        bound = max([value.bound for value in inputs] + [4.0]) if bound is None else bound
        exact = exact and all(value.exact for value in inputs) and bound <= MAX_EXACT
        for tensor in tensors if isinstance(tensors, (list, tuple)) else [tensors]:
            known = tensor.shape.is_fully_defined() and int(np.prod(tensor.shape.as_list())) <= MAX_ELEMENTS
            if known and bound <= MAX_BOUND:
                self.add(tensor, exact, bound)
