"""The workloads of the benchmark for a Python client. Reads lines of JSON, {"target", "workload", "steps"}; answers each
with {"seconds"}."""

import json
import os
import sys
import time

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

WARM_UP = 5


def noop():
    with tf.device('/job:canshu/task:0'):
        nothing = tf.no_op()
    return nothing, nothing


def read():
    with tf.device('/job:canshu/task:1'):
        variable = tf.get_variable('read', initializer=1.0)
    return variable.initializer, variable


def assign_add():
    with tf.device('/job:canshu/task:1'):
        variable = tf.get_variable('assign_add', initializer=1.0)
    return variable.initializer, variable.assign_add(1.0).op


def regression(name='regression'):
    x = np.arange(100, dtype=np.float32) / 100
    y = x * 0.1 + 0.3
    with tf.device('/job:canshu/task:0'):
        weights = tf.get_variable(name + '_w', initializer=[0.5])
    with tf.device('/job:canshu/task:1'):
        biases = tf.get_variable(name + '_b', initializer=[0.0])
    with tf.device('/job:gongzuo/task:0'):
        loss = tf.reduce_mean(tf.square(weights * x + biases - y))
    with tf.device('/job:gongzuo/task:1'):
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    return tf.global_variables_initializer(), train


def traced():
    return regression('traced')


def bulk():
    with tf.device('/job:canshu/task:1'):
        variable = tf.get_variable('bulk', initializer=tf.ones([25_000_000]))
    with tf.device('/job:gongzuo/task:0'):
        first = tf.slice(variable, [0], [1])
    return variable.initializer, first.op


WORKLOADS = {f.__name__: f for f in (noop, read, assign_add, regression, traced, bulk)}


def prepare(target, workload):
    graph = tf.Graph()
    with graph.as_default():
        initialize, fetch = WORKLOADS[workload]()
    session = tf.Session(target, graph=graph)
    session.run(initialize)
    return session, fetch


def measure(session, fetch, steps, trace):
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE) if trace else None

    def repeat(times):
        for _ in range(times):
            session.run(fetch, options=options, run_metadata=tf.RunMetadata() if trace else None)

    repeat(min(WARM_UP, steps))
    begin = time.perf_counter()
    repeat(steps)
    return time.perf_counter() - begin


def main():
    prepared = {}
    print('{"ready": true}', flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        key = order['target'], order['workload']
        if key not in prepared:
            prepared[key] = prepare(*key)
        seconds = measure(*prepared[key], order['steps'], order['workload'] == 'traced')
        print(json.dumps({'seconds': seconds}), flush=True)
    os._exit(0)


main()
