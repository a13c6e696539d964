"""What training adds to random graphs: gradients, losses, optimizers, updates of rows, queues and random numbers."""

import numpy as np
import tensorflow.compat.v1 as tf

from random_graphs import FLOATS, NUMBERS
from random_ops import is_not_empty, op


@op
def gradients(b):
    y = b.find(FLOATS, fits=lambda value: value.bound <= 64)
    xs = [value for value in b.values if value.dtype == y.dtype and value.tensor.op.type in ('Const', 'Placeholder')]
    if xs:
        found = tf.gradients(y.tensor, [value.tensor for value in xs])
        b.result([each for each in found if isinstance(each, tf.Tensor)], xs, exact=False, bound=100)


@op
def losses(b):
    logits = b.find(FLOATS, shape=[b.random.randint(1, 4), b.random.randint(2, 5)])
    labels = b.find([logits.dtype], shape=logits.shape)
    classes = tf.constant(b.random.randint(logits.shape[1], size=logits.shape[0]))
    by_row = [
        tf.nn.softmax_cross_entropy_with_logits(logits=logits.tensor, labels=tf.nn.softmax(labels.tensor)),
        tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits.tensor, labels=classes),
    ]
    b.result(by_row, [logits, labels], exact=False, bound=2 * logits.bound + 4)
    b.result(tf.nn.l2_loss(logits.tensor), [logits], exact=False, bound=logits.bound**2 * logits.size)
    bias = b.find([logits.dtype], shape=logits.shape[1:])
    b.result(tf.nn.bias_add(logits.tensor, bias.tensor), [logits, bias], bound=logits.bound + bias.bound)


@op
def training(b):
    make = b.pick(
        [
            lambda: tf.train.GradientDescentOptimizer(0.125),
            lambda: tf.train.MomentumOptimizer(0.1, 0.5, use_nesterov=b.chance(0.5)),
            lambda: tf.train.AdamOptimizer(0.1),
            lambda: tf.train.AdagradOptimizer(0.1),
            lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
        ]
    )
    slope = b.find(FLOATS, exact=True, fits=is_not_empty)
    with tf.device(b.pick(b.devices)):
        state = tf.Variable(b.numbers(slope.dtype, slope.shape), name=b.fresh_name(), use_resource=b.chance(0.5))
    train = make().apply_gradients([(slope.tensor, state)], name=b.fresh_name())
    with tf.control_dependencies([train]), tf.colocate_with(state.op):
        b.result(state.read_value() + 0, [], exact=False, bound=20 + 3 * slope.bound)


@op
def updates_of_rows(b):
    dtype, rows = b.pick([tf.float32, tf.int32]), b.random.randint(1, 5)
    shape = b.shape(b.random.randint(2))
    with tf.device(b.pick(b.devices)):
        state = tf.Variable(b.numbers(dtype, [rows] + shape), name=b.fresh_name(), use_resource=b.chance(0.5))
    indices = b.random.permutation(rows)[: b.random.randint(1, rows + 1)]
    change = b.find([dtype], shape=[len(indices)] + shape, exact=True)
    with tf.control_dependencies([state.initializer]):
        update = b.pick([tf.scatter_add, tf.scatter_sub, tf.scatter_update])(state, indices, change.tensor)
    with tf.control_dependencies([update]), tf.colocate_with(state.op):
        b.result(state.read_value() + 0, [change], bound=4 + change.bound)


@op
def parts(b):
    x = b.find(NUMBERS, rank=1, fits=is_not_empty)
    groups = b.random.randint(3, size=x.shape[0])
    pieces = tf.dynamic_partition(x.tensor, groups, 3)
    stitched = tf.dynamic_stitch([np.flatnonzero(groups == group) for group in range(3)], pieces)
    stitched.set_shape(x.shape)
    b.result(stitched, [x])
    b.result(tf.unsorted_segment_sum(x.tensor, groups, 3), [x], bound=x.bound * x.shape[0])


@op
def queue(b):
    x = b.find(NUMBERS + (tf.bool,))
    with tf.device(b.pick(b.devices)):
        line = tf.FIFOQueue(3, [x.dtype], shapes=[x.shape])
    with tf.control_dependencies([line.enqueue(x.tensor)]):
        b.result(line.dequeue(), [x])


@op
def random_numbers(b):
    shape, seed = b.shape(), b.random.randint(1, 100)
    b.result(tf.random_uniform(shape, seed=seed), [], exact=False)
    b.result(tf.random_normal(shape, seed=seed), [], exact=False, bound=8)
    b.result(tf.random_uniform(shape, -5, 6, tf.int32, seed=seed), [], bound=6)
