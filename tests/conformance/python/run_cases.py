"""Runs every case against one cluster: `run_cases.py CLUSTER [PART_OF_A_NAME]`, with the cluster's description in JSON.

Prints one line of JSON for each case: its name and either what it returned or how it failed.
"""

import json
import os
import sys
import threading
import traceback

import control
from harness import CASES, Cluster, operation_timeout, plain, tf

import cases_execution
import cases_failure
import cases_placement
import cases_sessions
import cases_traces
import cases_variables
import tutorial_cluster
import tutorial_local


def attempt(case, cluster):
    """On a thread of its own: one that hangs must not keep the others from running."""
    outcome = {}

    def run():
        try:
            with tf.Graph().as_default():
                outcome['result'] = plain(case.run(cluster))
        except BaseException:
            outcome['failure'] = traceback.format_exc(limit=-4)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(case.limit)
    return dict(outcome) or {'failure': 'still running after %s s' % case.limit}


def clear(cluster):
    """No case sees the variables of another."""
    try:
        tf.Session.reset(cluster.target(), config=operation_timeout(30_000))
    except tf.errors.OpError as error:
        control.say({'note': 'reset failed: %s' % error.message})


def main():
    cluster = Cluster(json.loads(sys.argv[1]))
    wanted = sys.argv[2] if len(sys.argv) > 2 else ''
    for case in CASES:
        if wanted in case.name:
            control.say({'case': case.name, 'tolerance': case.tolerance, **attempt(case, cluster)})
            clear(cluster)
    control.say({'done': True})
    os._exit(0)  # Threads of cases that hang would keep the interpreter alive.


main()
