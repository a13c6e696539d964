"""Sessions: several on one server, waiting for tasks, filters, limits, closing."""

import numpy as np

from harness import Background, abandon, case, failure, operation_timeout, seconds, tf, wait_until


def device_list(session):
    """The master's own device first; TensorFlow lists the others in the order in which they answered."""
    devices = [[d.name, d.device_type, d.memory_limit_bytes] for d in session.list_devices()]
    return devices[:1] + sorted(devices[1:])


@case('R01 two sessions on one server, one closed before the other')
def two_sessions(cluster):
    product = tf.matmul(tf.constant([[1, 2]]), tf.constant([[2], [1]]))
    first, second = cluster.session(), cluster.session()
    both = [first.run(product), second.run(product)]
    first.close()
    after = second.run(product)
    devices = device_list(second)
    second.close()
    assert [value.tolist() for value in both + [after]] == [[[4]]] * 3
    return {'both': both, 'after': after, 'devices': devices}


@case('R02 a session waits for a missing task, says for which, and goes on when it comes')
def missing_task(cluster):
    own = cluster.another({'ps': 1, 'worker': 2}, later=['worker:1'])
    one = tf.constant(1.0)
    impatient = abandon(own.session(config=operation_timeout(2000)))
    took = seconds(lambda: failure(lambda: impatient.run(one)))
    code = failure(lambda: impatient.run(one))
    waiting = Background(lambda: abandon(own.session()).run(one))
    wait_until(lambda: 'CreateSession still waiting for response from worker' in own.log('worker', 0), 15, 'the log line')
    lines = [text for text in own.log('worker', 0).splitlines() if 'still waiting' in text]
    assert all('response from worker: /job:worker/replica:0/task:1' in line for line in lines), lines
    blocked = waiting.is_alive()
    own.start('worker', 1)
    value = waiting.result(20)
    own.stop()
    assert 1.9 < took < 5, took
    return {'impatient': code, 'blocked': blocked, 'value': value}


@case('R04 a device filter always keeps the task of the master')
def filters_keep_master(cluster):
    config = tf.ConfigProto(device_filters=['/job:ps'])
    with cluster.session(config=config) as session:
        devices = [name for name, _, _ in device_list(session)]
    with cluster.session(config=tf.ConfigProto(device_filters=['/job:ps/task:0', '/job:worker/task:0'])) as session:
        narrow = [name for name, _, _ in device_list(session)]
        with tf.device('/job:worker/task:1'):
            elsewhere = tf.constant(1.0) + 1.0
        code = failure(lambda: session.run(elsewhere), 'Cannot assign a device for operation')
    return {'devices': devices, 'narrow': narrow, 'pinned to a task that was left out': code}


@case('R05 a client of a server that is not there: timeout, or success when it comes')
def absent_server(cluster):
    own = cluster.another({'local': 1}, later=['local:0'])
    one = tf.constant(1.0)
    dead_port = abandon(own.session('local', config=operation_timeout(1500)))
    took = seconds(lambda: failure(lambda: dead_port.run(one)))
    codes = [failure(lambda: dead_port.run(one))]
    waiting = Background(lambda: abandon(own.session('local')).run(one))
    waiting.join(1)
    blocked = waiting.is_alive()
    own.start('local', 0)
    value = waiting.result(20)
    own.stop()
    assert 1.4 < took < 5, took
    return {'codes': codes, 'blocked': blocked, 'value': value}


@case('R06 a session whose master was restarted is ABORTED; a new one works')
def restarted_master(cluster):
    own = cluster.another({'worker': 1})
    one = tf.constant(1.0)
    session = own.session()
    before = session.run(one)
    own.restart('worker', 0)
    codes = [failure(lambda: session.run(one), 'Session ', ' is not found.')]
    two = one + 1.0
    codes.append(failure(lambda: session.run(two), 'Session ', ' is not found.'))
    codes.append(failure(session.close, ' is not found. Possibly, this master has restarted.'))
    with own.session() as fresh:
        after = fresh.run(two)
    own.stop()
    return {'before': before, 'codes': codes, 'after': after}


@case('R08 closing a session ends its blocked dequeue and leaves the queue as it was')
def close_cancels_dequeue(cluster):
    with tf.device('/job:worker/task:1'):
        queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]], shared_name='r08')
        dequeue, enqueue, size = queue.dequeue(), queue.enqueue(3.0), queue.size()
    session = cluster.session()
    session.run(size)
    blocked = Background(lambda: failure(lambda: session.run(dequeue), 'Step was cancelled by an explicit call to', 'Session::Close()'))
    blocked.join(0.5)
    was_blocked = blocked.is_alive()
    took = seconds(lambda: (session.close(), blocked.result(5)))
    assert took < 2, took
    with cluster.session() as second:
        second.run(enqueue)
        left = second.run(size)
        taken = second.run(dequeue)
    return {'blocked': was_blocked, 'code': blocked.result(), 'left': left, 'taken': taken}


@case('R13 tensors far above the usual message limit: fed, fetched, between tasks', limit=90)
def large_tensors(cluster):
    shape = [10_000, 3_000]
    with tf.device('/job:worker/task:1'):
        big = tf.fill(shape, 0.5)
    with tf.device('/job:ps/task:0'):
        mean = tf.reduce_mean(big)
        constant_sum = tf.reduce_sum(tf.constant(np.ones([2000, 3000], np.float32)))
    fed = tf.placeholder(tf.float32, shape)
    smallest = tf.reduce_min(fed)
    with cluster.session() as session:
        fetched = session.run(big)
        result = {
            'mean': session.run(mean),
            'fetched': [str(fetched.shape), float(fetched.min()), float(fetched.max())],
            'fed': session.run(smallest, {fed: fetched}),
            'constant': session.run(constant_sum),
        }
    assert float(result['mean']) == 0.5 and float(result['constant']) == 6_000_000
    return result


@case('R15 tasks never reach each other through a proxy')
def no_proxy(cluster):
    nowhere = 'http://127.0.0.1:9'
    own = cluster.another({'ps': 1, 'worker': 2}, env={'http_proxy': nowhere, 'https_proxy': nowhere, 'grpc_proxy': nowhere, 'no_grpc_proxy': ''})
    with tf.device('/job:ps/task:0'):
        x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.device('/job:worker/task:1'):
        total = x + y
    genuine = 'tensorflow' in own.engines.values()
    if genuine:  # A genuine server does honour the variables, so there is nothing to compare.
        own.stop()
        return {'value': np.array([4, 6], np.float32)}
    with own.session() as session:
        value = session.run(total)
    own.stop()
    return {'value': value}


@case('R19 a sparse job; a ps as master')
def sparse_job(cluster):
    own = cluster.another({'l': [3]})
    with own.session('l', 3) as session:
        sparse = [session.run(tf.constant(2) * 3), [name for name, _, _ in device_list(session)]]
    own.stop()
    with tf.device('/job:worker/task:1'):
        far = tf.constant(2.0)
    with tf.device('/job:ps/task:1'):
        product = far * 4.0
    with cluster.session('ps', 0) as session:
        from_ps = [session.run(product), [name for name, _, _ in device_list(session)]]
    return {'sparse': sparse, 'from ps': from_ps}


@case('R21 127.0.0.1 and localhost are the same master')
def two_names(cluster):
    with tf.device('/job:worker/task:0'):
        variable = tf.Variable(0.0, name='r21')
    by_number = cluster.target()
    by_name = by_number.replace('127.0.0.1', 'localhost')
    assert by_name != by_number
    with tf.Session(by_number) as session:
        session.run(variable.assign(7.0))
    with tf.Session(by_name) as session:
        return {'value': session.run(variable)}


@case('R37 sixteen threads on one session, while one of them is blocked')
def threads(cluster):
    with tf.device('/job:ps/task:0'):
        queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]], shared_name='r37')
        dequeue, enqueue = queue.dequeue(), queue.enqueue(1.0)
        base = tf.constant(20.0)
    with tf.device('/job:worker/task:1'):
        total = base * 2.0 + 2.0
    with cluster.session() as session:
        blocked = Background(lambda: session.run(dequeue))
        values = [each.result() for each in [Background(lambda: session.run(total)) for _ in range(16)]]
        still = blocked.is_alive()
        session.run(enqueue)
        woken = blocked.result(5)
    assert len(values) == 16 and set(map(float, values)) == {42.0}
    return {'values': values, 'still blocked': still, 'woken': woken}
