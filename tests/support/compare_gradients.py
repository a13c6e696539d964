"""Compares gradients that a graph carries with those that tf.gradients makes for the same graph.

Reads a list of cases as JSON from stdin: name, graph (base64 of a GraphDef), y, xs, grads (tensor names, null where the graph
has none). Writes, as JSON, what is wrong by case name; an empty object when all agree.
"""

import base64
import json
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.get_logger().setLevel('ERROR')


def compare(case):
    definition = tf.GraphDef.FromString(base64.b64decode(case['graph']))
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        tf.import_graph_def(definition, name='')
        tensor = graph.get_tensor_by_name
        expected = tf.gradients(tensor(case['y']), [tensor(x) for x in case['xs']])
        for x, ours, theirs in zip(case['xs'], case['grads'], expected):
            if (ours is None) != (theirs is None):
                return f'{x}: ours {ours}, theirs {theirs}'
            if ours is None:
                continue
            ours, theirs = session.run([tensor(ours), tf.convert_to_tensor(theirs)])
            if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=1e-4, atol=1e-5, equal_nan=True):
                return f'{x}: ours {ours.tolist()}, theirs {theirs.tolist()}'
    return None


def attempt(case):
    try:
        return compare(case)
    except Exception as error:  # Whatever is wrong with one case must not hide the others.
        return f'{type(error).__name__}: {error}'


results = {case['name']: attempt(case) for case in json.load(sys.stdin)}
json.dump({name: problem for name, problem in results.items() if problem}, sys.stdout)
