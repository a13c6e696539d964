"""What the client programs of the conformance suite are written with.

A case is a function that drives a cluster through tf.compat.v1 and returns what it saw. The same case runs against
clusters of every kind; what it returns must be equal everywhere, so it returns values and codes, never addresses.
"""

import os
import threading
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')

import numpy as np
import tensorflow.compat.v1 as tf

import control

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

CASES = []

CODES = {
    getattr(tf.errors, name): name
    for name in (
        'CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED UNAUTHENTICATED '
        'RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS'
    ).split()
}


class Case:
    def __init__(self, name, run, tolerance, limit):
        self.name = name
        self.run = run
        self.tolerance = tolerance
        self.limit = limit


def case(name, tolerance=0.0, limit=60):
    """Registers a case. `tolerance` is relative and for floats only; `limit` is in seconds."""

    def register(run):
        CASES.append(Case(name, run, tolerance, limit))
        return run

    return register


class Cluster:
    """The tasks that a case talks to. Its processes belong to the test program, which is asked to start and end them."""

    def __init__(self, description):
        self._id = description['id']
        self.kind = description['kind']
        self.engines = description['engines']
        self.addresses = description['addresses']

    def target(self, job='worker', task=0):
        return 'grpc://' + self.addresses[job][str(task)]

    def engine(self, job='worker', task=0):
        """'bundled' or 'tensorflow'."""
        return self.engines['%s:%d' % (job, task)]

    def session(self, job='worker', task=0, **options):
        return tf.Session(self.target(job, task), **options)

    def start(self, job, task):
        control.ask('start', cluster=self._id, job=job, task=task)

    def kill(self, job, task):
        control.ask('kill', cluster=self._id, job=job, task=task)

    def restart(self, job, task):
        self.kill(job, task)
        self.start(job, task)

    def log(self, job, task):
        return control.ask('log', cluster=self._id, job=job, task=task)

    def another(self, jobs, **options):
        """A second cluster of the same kind. `later` names tasks to leave out for now; `env` goes to all tasks."""
        return Cluster(control.ask('another', cluster=self._id, jobs=jobs, **options))

    def stop(self):
        control.ask('stop', cluster=self._id)


def failure(call, *says):
    """The name of the code with which `call` fails. The message must contain each of `says`."""
    try:
        value = call()
    except tf.errors.OpError as error:
        lacking = [text for text in says if text not in str(error.message)]
        assert not lacking, 'the message lacks %s: %s' % (lacking, error.message)
        return CODES[error.error_code]
    raise AssertionError('no error, but %r' % (value,))


class Background(threading.Thread):
    """A call on a thread of its own, under the graph of whoever makes it, with what came of it."""

    def __init__(self, call):
        super().__init__(daemon=True)
        self._call = call
        self._graph = tf.get_default_graph()
        self._result = None
        self._error = None
        self.start()

    def run(self):
        try:
            with self._graph.as_default():
                self._result = self._call()
        except BaseException as error:  # Handed over to whoever asks for the result.
            self._error = error

    def result(self, timeout=20):
        self.join(timeout)
        assert not self.is_alive(), 'still running after %s s' % timeout
        if self._error is not None:
            raise self._error
        return self._result


_abandoned = []


def abandon(session):
    """Keeps a session from being closed, which for a client of a genuine server may take for ever once a task is gone."""
    _abandoned.append(session)
    return session


def wait_until(condition, timeout=15, what='the condition'):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, '%s did not come within %s s' % (what, timeout)
        time.sleep(0.02)


def seconds(call):
    """How long the call took, in seconds."""
    begin = time.monotonic()
    call()
    return time.monotonic() - begin


def operation_timeout(milliseconds):
    return tf.ConfigProto(operation_timeout_in_ms=milliseconds)


def plain(value):
    """A value as JSON that loses nothing that matters: types and shapes of arrays stay."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return value.decode('latin-1')
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        return {'dtype': 'string' if array.dtype == object else array.dtype.name, 'shape': list(array.shape), 'values': [element(each) for each in array.reshape(-1).tolist()]}
    return element(value)


def element(value):
    if isinstance(value, bytes):
        return value.decode('latin-1')
    if isinstance(value, complex):
        return [element(value.real), element(value.imag)]
    if isinstance(value, int) and abs(value) > 2**53:
        return str(value)
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value
