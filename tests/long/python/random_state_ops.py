"""The rest of what random graphs are made of: ops that move elements around, keep state or fail."""

import numpy as np
import tensorflow.compat.v1 as tf

from random_graphs import NUMBERS
from random_ops import is_not_empty, op

ANY = NUMBERS + (tf.bool,)


@op
def transposition(b):
    x = b.find(ANY, rank=2)
    b.result(tf.transpose(x.tensor, [int(axis) for axis in b.random.permutation(len(x.shape))]), [x])


@op
def reshaping(b):
    x = b.find(ANY)
    axis = b.random.randint(len(x.shape) + 1)
    b.result([tf.reshape(x.tensor, [x.size]), tf.expand_dims(x.tensor, axis), tf.squeeze(x.tensor)], [x])


@op
def joining(b):
    x = b.find(ANY, rank=1)
    axis = b.random.randint(len(x.shape))
    y = b.find([x.dtype], shape=[b.random.randint(1, 4) if i == axis else size for i, size in enumerate(x.shape)])
    b.result(tf.concat([x.tensor, y.tensor], axis), [x, y])
    b.result(tf.stack([x.tensor, x.tensor], axis), [x])


@op
def taking_apart(b):
    x = b.find(ANY, rank=1, fits=is_not_empty)
    b.result(tf.unstack(x.tensor), [x])
    b.result(tf.split(x.tensor, x.shape[0]), [x])


@op
def slicing(b):
    x = b.find(ANY, rank=1)
    begin = [b.random.randint(size + 1) for size in x.shape]
    b.result(tf.slice(x.tensor, begin, [-1] * len(begin)), [x])
    b.result([x.tensor[b.pick([0, 1, -2]) :: b.pick([1, 2])], x.tensor[..., tf.newaxis, ::-1]], [x])


@op
def gathering(b):
    x = b.find(ANY, rank=1, fits=is_not_empty)
    indices = b.random.randint(x.shape[0], size=b.random.randint(1, 4))
    b.result([tf.gather(x.tensor, indices), tf.gather_nd(x.tensor, indices[:, np.newaxis])], [x])


@op
def spreading(b):
    x = b.find(ANY)
    b.result([tf.tile(x.tensor, [b.random.randint(1, 3) for _ in x.shape]), tf.broadcast_to(x.tensor, [2] + x.shape)], [x])
    if x.size > 0:
        b.result(tf.fill([b.random.randint(3), 2], tf.reshape(x.tensor, [-1])[0]), [x])


@op
def padding(b):
    x = b.find(NUMBERS, rank=1)
    b.result(tf.pad(x.tensor, [[b.random.randint(2), b.random.randint(2)] for _ in x.shape]), [x])
    b.result(tf.reverse(x.tensor, [b.random.randint(len(x.shape))]), [x])


@op
def asking_for_shapes(b):
    x = b.find(ANY)
    b.result([tf.shape(x.tensor), tf.size(x.tensor), tf.rank(x.tensor)], [])
    b.result([tf.zeros_like(x.tensor), tf.ones_like(x.tensor)], [])


@op
def counting(b):
    b.result(tf.range(b.random.randint(-3, 1), b.random.randint(1, 6), b.random.randint(1, 3)), [])
    b.result(tf.one_hot(b.random.randint(-1, 4, size=3), 3), [])


@op
def texts(b):
    x = b.find((tf.int32, tf.int64, tf.bool))
    b.add(tf.string_join([tf.as_string(x.tensor), 'x'], '-'))


@op
def variable(b):
    """Assignments and reads in an order that control edges fix."""
    dtype, shape = b.pick([tf.float32, tf.int32, tf.float64]), b.shape()
    with tf.device(b.pick(b.devices)):
        state = tf.Variable(b.numbers(dtype, shape), name=b.fresh_name(), use_resource=b.chance(0.5))
    last = state.initializer
    for _ in range(b.random.randint(1, 4)):
        value = b.find([dtype], shape=shape, exact=True)
        with tf.control_dependencies([last]):
            last = b.pick([state.assign, state.assign_add, state.assign_sub])(value.tensor, read_value=False)
        with tf.control_dependencies([last]), tf.colocate_with(state.op):
            # A copy: in TensorFlow, what is read from a reference changes with later assignments.
            last = state.read_value() + 0
        b.result(last, [value], bound=value.bound * 16)


def hidden(b, value):
    """A value whose shape the client does not know, so that only the run finds out what is wrong with it."""
    tensor = tf.placeholder(tf.as_dtype(np.asarray(value).dtype), None)
    b.feeds[tensor] = np.asarray(value)
    return tensor


def ones(*shape):
    return np.ones(shape, np.float32)


# Each fails when it runs, with a code that the judge decides.
FAILURES = (
    lambda b: tf.reshape(hidden(b, ones(3)), [2, 2]),
    lambda b: tf.gather(hidden(b, ones(3)), [7]),
    lambda b: tf.matmul(hidden(b, ones(2, 3)), hidden(b, ones(2, 3))),
    lambda b: hidden(b, np.int32([1, 2])) // hidden(b, np.int32(0)),
    lambda b: tf.check_numerics(tf.log(hidden(b, np.float32(-1))), 'random'),
    lambda b: tf.slice(hidden(b, ones(3)), [2], [5]),
    lambda b: hidden(b, ones(3)) + hidden(b, ones(4)),
    lambda b: tf.concat([hidden(b, ones(2, 3)), hidden(b, ones(3, 2))], 0),
    lambda b: tf.identity(tf.Variable(1.0, name=b.fresh_name(), collections=['none'], use_resource=b.chance(0.5)).read_value()),
    lambda b: tf.placeholder(tf.float32, name='never_fed') + 1,
)
