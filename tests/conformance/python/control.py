"""The pipe to the test program: answers and requests go out as lines of JSON, replies come in."""

import json
import sys
import threading

_lock = threading.Lock()


def say(message):
    with _lock:
        _write(message)


def ask(verb, **arguments):
    """Has the test program do something with task processes; returns its answer."""
    with _lock:
        _write({'ask': verb, **arguments})
        reply = json.loads(sys.stdin.readline())
    if 'error' in reply:
        raise RuntimeError(reply['error'])
    return reply['answer']


def _write(message):
    sys.stdout.write(json.dumps(message) + '\n')
    sys.stdout.flush()
