"""Running steps over several tasks: feeds, fetches, control edges, types."""

import numpy as np

from harness import case, failure, tf


@case('R30 fed numbers averaged in halves on two tasks of a job named local', tolerance=1e-6)
def halves(cluster):
    own = cluster.another({'local': 2})
    numbers = np.linspace(0, 1, 100, dtype=np.float32)
    fed = tf.placeholder(tf.float32, 100)
    with tf.device('/job:local/task:1'):
        mean1 = tf.reduce_mean(tf.slice(fed, [0], [50]))
    with tf.device('/job:local/task:0'):
        mean2 = tf.reduce_mean(tf.slice(fed, [50], [-1]))
        mean = (mean1 + mean2) / 2
    with own.session('local', 0) as session:
        value = session.run(mean, {fed: numbers})
    own.stop()
    assert abs(value - numbers.mean()) < 1e-6
    return {'mean': value}


@case('R33 a control edge across tasks orders an assignment before a read')
def control_edges(cluster):
    with tf.device('/job:ps/task:0'):
        variable = tf.get_variable('r33', initializer=0, use_resource=True)
        assign = variable.assign(5, read_value=False)
    with tf.device('/job:worker/task:1'), tf.control_dependencies([assign]):
        between = tf.no_op()
    with tf.device('/job:ps/task:0'), tf.control_dependencies([between]):
        read = variable.read_value()
    values = []
    with cluster.session() as session:
        for _ in range(100):
            session.run(variable.initializer)
            values.append(int(session.run(read)))
    assert values == [5] * 100
    return {'values': values}


@case('R36 feeds and fetches of every kind')
def feeds_and_fetches(cluster):
    with tf.device('/job:ps/task:0'):
        variable = tf.Variable(10.0, name='r36')
    doubled = variable * 2.0
    placeholder = tf.placeholder(tf.float32, [2, 3], name='ph')
    total = tf.reduce_sum(placeholder)
    bad = tf.check_numerics(tf.constant(np.inf, tf.float32), 'never evaluated')
    after_bad = bad + 1.0
    with cluster.session() as session:
        session.run(variable.initializer)
        result = {
            'twice': session.run([doubled, doubled]),
            'fed and fetched': session.run([placeholder, total], {placeholder: np.ones([2, 3])}),
            'fed in the middle': session.run(after_bad, {bad: 1.0}),
            'fed variable': session.run(doubled, {variable: 3.0}),
            'variable afterwards': session.run(variable),
            'nothing fed': failure(
                lambda: session.run(total), "You must feed a value for placeholder tensor 'ph' with dtype float and shape [2,3]"
            ),
        }
    return result


SAMPLES = {
    'float32': np.array([[-0.0, 1.5, np.inf, -np.inf, np.nan, 1e-45]], np.float32),
    'float64': np.array([-0.0, 0.1, np.inf, np.nan, 5e-324]),
    'int32': np.array([-(2**31), -1, 0, 2**31 - 1], np.int32),
    'int64': np.array([[-(2**63)], [2**63 - 1], [2**53 + 1]]),
    'uint8': np.array([0, 127, 255], np.uint8),
    'bool': np.array([True, False]),
    'string': np.array([b'', b'ab\x00\xff', 'ü'.encode()], object),
    'empty': np.zeros([0, 3], np.float32),
    'scalar': np.array(7, np.int64),
    'half': np.array([-0.0, 1.5, np.inf, 6e-8], np.float16),
    'complex64': np.array([1 - 2j, 0], np.complex64),
}


@case('every type of tensor passes through feeds, tasks and fetches unchanged')
def types(cluster):
    results = {}
    with cluster.session() as session:
        for name, sample in SAMPLES.items():
            fed = tf.placeholder(tf.string if name == 'string' else sample.dtype, sample.shape)
            with tf.device('/job:worker/task:1'):
                there = tf.identity(fed)
            with tf.device('/job:ps/task:0'):
                back = tf.identity(there)
            value = session.run(back, {fed: sample})
            assert value.dtype == sample.dtype and value.shape == sample.shape, name
            assert name == 'string' or value.tobytes() == sample.tobytes(), name
            results[name] = value
    return results


@case('a graph that grows between steps')
def extend(cluster):
    with cluster.session() as session:
        one = tf.constant(1.0, name='one')
        values = [session.run(one)]
        with tf.device('/job:worker/task:1'):
            for _ in range(3):
                one = one + 1.0
                values.append(session.run(one))
    assert [float(value) for value in values] == [1.0, 2.0, 3.0, 4.0]
    return {'values': values}


@case('the error of a kernel names node and task, and the session goes on')
def kernel_errors(cluster):
    with tf.device('/job:worker/task:1'):
        left = tf.placeholder(tf.float32, [None, None], name='left')
        product = tf.matmul(left, tf.ones([2, 2]), name='product')
        picked = tf.gather([1, 2, 3], tf.placeholder_with_default(7, []), name='picked')
        divided = tf.floordiv(tf.constant(1), tf.placeholder_with_default(0, []), name='divided')
    with cluster.session() as session:
        codes = {
            'shapes': failure(lambda: session.run(product, {left: np.ones([1, 3])}), '{{node product}}', '/job:worker/replica:0/task:1'),
            'indices': failure(lambda: session.run(picked), '{{node picked}}', '/job:worker/replica:0/task:1'),
            'division': failure(lambda: session.run(divided), '{{node divided}}'),
        }
        return {'codes': codes, 'afterwards': session.run(product, {left: np.ones([1, 2])})}


@case('a step that takes too long ends by its timeout, and the session goes on')
def step_timeout(cluster):
    with tf.device('/job:ps/task:0'):
        queue = tf.FIFOQueue(2, [tf.int32], shapes=[[]], shared_name='timeout')
        dequeue, enqueue, size = queue.dequeue(), queue.enqueue(4), queue.size()
    options = tf.RunOptions(timeout_in_ms=500)
    with cluster.session() as session:
        code = failure(lambda: session.run(dequeue, options=options))
        session.run(enqueue)
        return {'code': code, 'left': session.run(size), 'taken': session.run(dequeue)}
