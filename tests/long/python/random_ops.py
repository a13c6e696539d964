"""Arithmetic of random graphs: functions that add a node or a few to a builder."""

import tensorflow.compat.v1 as tf

from random_graphs import FLOATS, INTEGERS, NUMBERS

OPS = []


def op(make):
    OPS.append(make)
    return make


def partner(b, value):
    """A value that `value` can be broadcast with."""
    if b.chance(0.5):
        return b.find([value.dtype], shape=value.shape)
    inner = value.shape[b.random.randint(len(value.shape) + 1) :]
    return b.find([value.dtype], shape=[size if b.chance(0.7) else 1 for size in inner])


def is_not_empty(value):
    return value.size > 0


@op
def exact_arithmetic(b):
    make, bound = b.pick(
        [
            (tf.add, lambda x, y: x + y),
            (tf.subtract, lambda x, y: x + y),
            (tf.multiply, lambda x, y: x * y),
            (tf.maximum, max),
            (tf.minimum, max),
            (tf.squared_difference, lambda x, y: (x + y) ** 2),
        ]
    )
    x = b.find(NUMBERS)
    y = partner(b, x)
    b.result(make(x.tensor, y.tensor), [x, y], bound=bound(x.bound, y.bound))


@op
def division(b):
    x = b.find(FLOATS)
    y = partner(b, x)
    b.result(x.tensor / (tf.abs(y.tensor) + 1), [x, y], exact=False, bound=x.bound)


@op
def whole_division(b):
    make = b.pick([tf.floordiv, tf.floormod, tf.truncatediv, tf.truncatemod])
    x = b.find(INTEGERS)
    y = partner(b, x)
    b.result(make(x.tensor, tf.abs(y.tensor) + 1), [x, y])


@op
def smooth_function(b):
    make = b.pick([tf.tanh, tf.sigmoid, tf.sin, tf.cos, tf.nn.softplus, tf.nn.elu, tf.atan])
    x = b.find(FLOATS)
    b.result(make(x.tensor), [x], exact=False)


@op
def function_of_small_numbers(b):
    make = b.pick(
        [
            tf.exp,
            tf.expm1,
            lambda x: tf.log1p(tf.abs(x)),
            lambda x: tf.sqrt(tf.abs(x)),
            lambda x: tf.rsqrt(tf.abs(x) + 1),
        ]
    )
    x = b.find(FLOATS)
    b.result(make(tf.clip_by_value(x.tensor, -3, 3)), [x], exact=False, bound=21)


@op
def exact_function(b):
    x = b.find(NUMBERS)
    b.result(b.pick([tf.negative, tf.abs])(x.tensor), [x])
    b.result(tf.square(x.tensor), [x], bound=x.bound**2)


@op
def step_function(b):
    make = b.pick([tf.floor, tf.ceil, tf.round, tf.sign, tf.nn.relu, tf.nn.relu6])
    x = b.find(FLOATS, exact=True)
    b.result(make(x.tensor), [x])


@op
def comparison(b):
    make = b.pick([tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal, tf.not_equal])
    x = b.find(NUMBERS, exact=True)
    y = b.find([x.dtype], shape=x.shape, exact=True)
    b.result(make(x.tensor, y.tensor), [])


@op
def logic(b):
    make = b.pick([tf.logical_and, tf.logical_or, tf.logical_xor])
    x = b.find([tf.bool])
    y = b.find([tf.bool], shape=x.shape)
    b.result([make(x.tensor, y.tensor), tf.logical_not(x.tensor)], [])


@op
def choice(b):
    x = b.find(NUMBERS)
    y = b.find([x.dtype], shape=x.shape)
    condition = b.find([tf.bool], shape=x.shape)
    b.result(b.pick([tf.where, tf.where_v2])(condition.tensor, x.tensor, y.tensor), [x, y])


@op
def conditional(b):
    x = b.find(NUMBERS)
    condition = b.find([tf.bool], shape=[])
    b.result(tf.cond(condition.tensor, lambda: x.tensor + x.tensor, lambda: -x.tensor), [x], bound=2 * x.bound)


@op
def conversion(b):
    x = b.find(NUMBERS + (tf.bool,), exact=True)
    b.result(tf.cast(x.tensor, b.pick(NUMBERS)), [x])


@op
def reduction(b):
    x = b.find(NUMBERS, rank=1, fits=is_not_empty)
    axis, keep = b.pick([None] + list(range(len(x.shape)))), b.chance(0.3)
    b.result(tf.reduce_sum(x.tensor, axis, keepdims=keep), [x], bound=x.bound * x.size)
    b.result([make(x.tensor, axis, keepdims=keep) for make in (tf.reduce_max, tf.reduce_min)], [x])
    if x.dtype in FLOATS:
        b.result(tf.reduce_mean(x.tensor, axis, keepdims=keep), [x], exact=False)


@op
def reduction_of_bools(b):
    x = b.find([tf.bool], rank=1)
    b.result(b.pick([tf.reduce_any, tf.reduce_all])(x.tensor, b.pick([None, 0])), [])


@op
def running_total(b):
    x = b.find(NUMBERS, rank=1)
    axis = b.random.randint(len(x.shape))
    total = tf.cumsum(x.tensor, axis, exclusive=b.chance(0.3), reverse=b.chance(0.3))
    b.result(total, [x], bound=x.bound * max(1, x.shape[axis]))


@op
def sum_of_several(b):
    x = b.find(NUMBERS)
    y, z = b.find([x.dtype], shape=x.shape), b.find([x.dtype], shape=x.shape)
    b.result(tf.add_n([x.tensor, y.tensor, z.tensor]), [x, y, z], bound=x.bound + y.bound + z.bound)


@op
def matrix_product(b):
    x = b.find(FLOATS + (tf.int32,), shape=b.shape(2))
    y = b.find([x.dtype], shape=[x.shape[1], b.random.randint(1, 5)])
    bound = x.bound * y.bound * max(1, x.shape[1])
    b.result(tf.matmul(x.tensor, y.tensor), [x, y], bound=bound)
    b.result(tf.matmul(y.tensor, x.tensor, transpose_a=True, transpose_b=True), [x, y], bound=bound)


@op
def softmax(b):
    x = b.find(FLOATS, rank=1, fits=is_not_empty)
    b.result([tf.nn.softmax(x.tensor), tf.nn.log_softmax(x.tensor)], [x], exact=False, bound=2 * x.bound + 4)


@op
def position(b):
    x = b.find(NUMBERS, rank=1, exact=True, fits=is_not_empty)
    make = b.pick([tf.argmax, tf.argmin])
    b.result(make(x.tensor, b.random.randint(len(x.shape)), output_type=b.pick(INTEGERS)), [])


@op
def largest(b):
    x = b.find(NUMBERS, rank=1, exact=True, fits=is_not_empty)
    values, indices = tf.nn.top_k(x.tensor, b.random.randint(1, x.shape[-1] + 1))
    b.result(values, [x])
    b.result(indices, [])
