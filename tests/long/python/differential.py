"""Runs random graphs on two clusters and compares: `differential.py TARGET_OF_JUDGE TARGET_OF_CANDIDATE SEED COUNT`.

Both clusters have three tasks of a job named worker. One line of JSON for each graph says how the candidate differs.
"""

import json
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')

import numpy as np
import tensorflow.compat.v1 as tf

from random_graphs import Builder
from random_ops import OPS
from random_state_ops import FAILURES
import random_training_ops  # noqa: F401 – its ops put themselves on the list.

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

STEPS = 3
DEVICES = ['/job:worker/task:%d' % task for task in range(3)]


def build(seed):
    """A graph in the default graph: the builder with its values, and a tensor that fails or None."""
    builder = Builder(seed, DEVICES)
    for _ in range(4):
        builder.source()
    wanted = builder.random.randint(10, 61)
    while len(builder.values) < wanted:
        with builder.device():
            builder.pick(OPS)(builder)
    if not builder.chance(0.2):
        return builder, None
    with builder.device():
        return builder, builder.pick(FAILURES)(builder)


def run(target, builder, fetches):
    """What each step gives, up to the first that fails."""
    config = tf.ConfigProto(operation_timeout_in_ms=60_000)
    # The same graph for both: a genuine master would fold and fuse what it can.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    outcomes = []
    initializer = tf.global_variables_initializer()
    with tf.Session(target, config=config) as session:
        try:
            session.run(initializer)
            for _ in range(STEPS):
                outcomes.append(session.run(fetches, builder.feeds))
        except tf.errors.OpError as error:
            outcomes.append(Failure(error))
    return outcomes


class Failure:
    def __init__(self, error):
        self.code = type(error).__name__
        self._text = str(error.message).split('Original stack trace')[0]

    def __str__(self):
        return '%s: %s' % (self.code, self._text[:600])


def difference(expected, actual, values):
    """In words; None when the outcomes agree."""
    for step, (want, got) in enumerate(zip(expected, actual)):
        if isinstance(want, Failure) or isinstance(got, Failure):
            if isinstance(want, Failure) and isinstance(got, Failure) and want.code == got.code:
                return None
            text = '%s instead of %s' % tuple(each if isinstance(each, Failure) else 'values' for each in (got, want))
            return 'step %d: %s' % (step, text)
        for value, right, given in zip(values, want, got):
            if not agree(value, np.asarray(right), np.asarray(given)):
                node = value.tensor.op
                return 'step %d: %s (%s) gives %r instead of %r' % (step, node.name, node.type, given, right)
    return None


def agree(value, right, given):
    if right.dtype != given.dtype or right.shape != given.shape:
        return False
    if value.exact:
        return np.array_equal(right, given)
    tolerance = 1e-3 if right.dtype == np.float32 else 1e-10
    return np.allclose(given, right, rtol=tolerance, atol=tolerance * max(1.0, value.bound), equal_nan=True)


def compare(seed, judge, candidate):
    with tf.Graph().as_default() as graph:
        builder, failing = build(seed)
        fetches = [value.tensor for value in builder.values] + ([] if failing is None else [failing])
        expected = run(judge, builder, fetches)
        actual = run(candidate, builder, fetches)
        nodes = graph.get_operations()
        last = expected[-1]
        return {
            'nodes': len(nodes),
            'ops': sorted({node.type for node in nodes}),
            'code': last.code if isinstance(last, Failure) else None,
            'difference': difference(expected, actual, builder.values),
        }


def main():
    judge, candidate, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for seed in range(first, first + count):
        try:
            outcome = compare(seed, judge, candidate)
        except Exception as error:  # A graph that cannot be built or initialized must not keep the others from being compared.
            outcome = {'nodes': 0, 'ops': [], 'code': None, 'difference': '%s: %s' % (type(error).__name__, str(error)[:1000])}
        print(json.dumps({'seed': seed, **outcome}), flush=True)


main()
