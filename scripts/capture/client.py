"""What is captured: a client's calls on a cluster of two tasks, `client.py TARGET`. Values are those that the test expects."""

import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

target = sys.argv[1]
config = tf.ConfigProto(device_filters=['/job:ps', '/job:worker'], allow_soft_placement=True)
config.graph_options.rewrite_options.disable_meta_optimizer = True

with tf.device('/job:ps/task:0'):
    reference = tf.get_variable('reference', initializer=[1.0, 2.0], use_resource=False)
    resource = tf.get_variable('resource', initializer=np.array([3, 2**53 + 1]), use_resource=True)
    words = tf.identity(tf.constant(['ab', 'c', '']), name='words')
with tf.device('/job:worker/task:0'):
    fed = tf.placeholder(tf.float32, [2], name='fed')
    fed_words = tf.placeholder(tf.string, [2], name='fed_words')
    total = tf.add(reference, fed, name='total')
    joined = tf.string_join([fed_words, tf.slice(words, [0], [2])], name='joined')
    with tf.control_dependencies([resource.assign_add([1, 1], read_value=False)]):
        after = tf.identity(tf.constant(True), name='after')

with tf.Session(target, config=config) as session:
    session.run(tf.global_variables_initializer())
    sums = session.run([total, joined], {fed: [0.5, -0.5], fed_words: [b'x', b'y\x00']})
    assert sums[0].tolist() == [1.5, 1.5] and sums[1].tolist() == [b'xab', b'y\x00c']
    assert session.run(after)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.RunMetadata()
    session.run(total, {fed: [1.0, 2.0]}, options=options, run_metadata=metadata)
    assert metadata.step_stats.dev_stats and metadata.partition_graphs
    with tf.device('/job:ps/task:0'):
        more = tf.multiply(resource.read_value(), 2, name='more')
    assert session.run(more).tolist() == [8, 2**54 + 4]
    try:
        session.run(total)
        raise AssertionError('nothing was fed')
    except tf.errors.InvalidArgumentError:
        pass
    assert len(session.list_devices()) == 2
tf.Session.reset(target, ['some container'])
