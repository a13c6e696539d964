"""The programs of the tutorials that use one server, or two servers of a job named local."""

import numpy as np

from cases_placement import SOFT, device_nodes
from harness import Background, case, failure, tf, wait_until


def regression(own, devices, master, steps=200):
    """The line y = 0.1 x + 0.3, learnt by gradient descent; the four devices are those of the four scopes."""
    x_data = np.random.RandomState(0).rand(100).astype(np.float32)
    y_data = x_data * 0.1 + 0.3
    with tf.device(devices[0]):
        weights = tf.Variable(tf.random_uniform([1], -1.0, 1.0))
    with tf.device(devices[1]):
        biases = tf.Variable(tf.zeros([1]))
    with tf.device(devices[2]):
        y = weights * x_data + biases
        loss = tf.reduce_mean(tf.square(y - y_data))
    with tf.device(devices[3]):
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        init = tf.global_variables_initializer()
    with own.session(*master) as session:
        session.run(init)
        for _ in range(steps):
            session.run(train)
        learnt = session.run([weights, biases])
    assert abs(learnt[0] - 0.1).max() < 1e-3 and abs(learnt[1] - 0.3).max() < 1e-3, learnt
    return {'weights': round(float(learnt[0][0]), 3), 'biases': round(float(learnt[1][0]), 3)}


@case('tutorial: a local server says hello')
def hello(cluster):
    own = cluster.another({'local': 1})
    greeting = tf.constant('Hello, Distributed TensorFlow!')
    with own.session('local') as session:
        value = session.run(greeting)
    own.stop()
    assert value == b'Hello, Distributed TensorFlow!'
    return {'value': value}


@case('tutorial: regression on a local server')
def local_regression(cluster):
    own = cluster.another({'local': 1})
    result = regression(own, [None] * 4, ('local', 0))
    own.stop()
    return result


@case('tutorial: regression over two canshu and two gongzuo tasks')
def four_task_regression(cluster):
    own = cluster.another({'canshu': 2, 'gongzuo': 2})
    devices = ['/job:canshu/task:0', '/job:canshu/task:1', '/job:gongzuo/task:0', '/job:gongzuo/task:1']
    result = regression(own, devices, ('canshu', 0))
    own.stop()
    return result


@case('tutorial: parameters on the CPU, sums and products on one card or two')
def cards(cluster):
    own = cluster.another({'local': 1}, virtualGpus=2)
    results = {}
    for cards_used in [['/gpu:0', '/gpu:0'], ['/gpu:0', '/gpu:1']]:
        with tf.Graph().as_default():
            with tf.device('/cpu:0'):
                w = tf.get_variable('w', (2, 2), tf.float32, initializer=tf.constant_initializer(2))
                b = tf.get_variable('b', (2, 2), tf.float32, initializer=tf.constant_initializer(5))
            with tf.device(cards_used[0]):
                addwb = w + b
            with tf.device(cards_used[1]):
                mutwb = w * b
            ini = tf.initialize_all_variables()
            with own.session('local', config=SOFT) as session:
                session.run(ini)
                results[str(cards_used)] = session.run([addwb, mutwb])
                if own.engine('local', 0) == 'bundled':
                    ran = device_nodes(session, [addwb, mutwb])
                    for name, device in [(addwb.op.name, cards_used[0]), (mutwb.op.name, cards_used[1])]:
                        assert name in ran['/job:local/replica:0/task:0/device:GPU:%s' % device[-1]], ran
    own.stop()
    return results


def on_two_servers(own):
    """What two sessions on two servers see of an unpinned variable, and where its nodes run."""
    with tf.Graph().as_default():
        var = tf.Variable(initial_value=0.0, name='var')
        init, add = tf.global_variables_initializer(), var.assign_add(1.0)
        sess1, sess2 = own.session('local', 0), own.session('local', 1)
        sess1.run(init)
        sess2.run(init)
        initial = [float(sess1.run(var)), float(sess2.run(var))]
        sess1.run(add)
        after = [float(sess1.run(var)), float(sess2.run(var))]
        places = [sorted(device_nodes(session, fetch)) for session, fetch in [(sess1, var), (sess1, add), (sess2, var)]]
        with tf.device('/job:local/task:0'):
            var1 = tf.Variable(0.0, name='var1')
        with tf.device('/job:local/task:1'):
            var2 = tf.Variable(0.0, name='var2')
        sess1.run(tf.variables_initializer([var1, var2]))
        pairs = [(sess1, var1), (sess1, var2), (sess2, var2), (sess2, var1)]
        pinned = [next(device for device, names in device_nodes(session, each).items() if each.op.name in names) for session, each in pairs]
        sess1.close()
        sess2.close()
    return {'initial': initial, 'after': after, 'places': places, 'pinned': pinned}


def by_both_rules(cluster, observe, first_task):
    """`observe` on a cluster whose bundled tasks place as TensorFlow 1.x does, then as 2.x does. The latter is comparable."""
    own = cluster.another({'local': 2}, engine='bundled' if cluster.kind == 'bundled' else 'tensorflow')
    if cluster.kind == 'bundled':
        seen = observe(own)
        own.stop()
        assert seen == first_task, seen
        own = cluster.another({'local': 2}, flags=['--placement', 'local'])
    seen = observe(own)
    own.stop()
    return seen


TASK0 = '/job:local/replica:0/task:0/device:CPU:0'
TASK1 = '/job:local/replica:0/task:1/device:CPU:0'


@case('tutorial: variables of the same name are shared among all servers; location trace')
def shared_among_servers(cluster):
    expected = {'initial': [0.0, 0.0], 'after': [1.0, 1.0], 'places': [[TASK0]] * 3, 'pinned': [TASK0, TASK1, TASK1, TASK0]}
    return by_both_rules(cluster, on_two_servers, expected)


def separate_graphs_on(own):
    graph1, graph2 = tf.Graph(), tf.Graph()
    with graph1.as_default():
        var1 = tf.Variable(0.0, name='var')
        assign = var1.assign(1.0)
    sess1, sess2 = own.session('local', 0, graph=graph1), own.session('local', 1, graph=graph2)
    before = [len(graph1.get_operations()) > 0, len(graph2.get_operations())]
    with graph2.as_default():
        var2 = tf.Variable(0.0, name='var')
    sess1.run(assign)
    try:
        value = float(sess2.run(var2))
    except tf.errors.FailedPreconditionError:
        value = 'uninitialized'
    sess1.close()
    sess2.close()
    return {'before': before, 'value': value}


@case('tutorial: separate graphs, one shared variable')
def separate_graphs(cluster):
    return by_both_rules(cluster, separate_graphs_on, {'before': [True, 0], 'value': 1.0})


def wait_for_other(own):
    def server1():
        with tf.Graph().as_default(), own.session('local', 0) as session:
            tf.Variable(0.0, name='var')
            report = tf.report_uninitialized_variables()
            first = session.run(report).tolist()
            wait_until(lambda: len(session.run(report)) == 0, 3)
            return first

    def server2():
        with tf.Graph().as_default(), own.session('local', 1) as session:
            tf.Variable(0.0, name='var')
            session.run(tf.global_variables_initializer())

    waiting = Background(server1)
    waiting.join(0.5)
    Background(server2).result()
    try:
        return {'first': str(waiting.result()), 'initialized': True}
    except AssertionError:
        return {'initialized': False}


@case('tutorial: who initializes a shared variable')
def who_initializes(cluster):
    return by_both_rules(cluster, wait_for_other, {'first': "[b'var']", 'initialized': True})
