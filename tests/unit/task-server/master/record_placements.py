"""Records where a genuine TensorFlow places the nodes of small graphs: the expectations of placer.test.ts.

Usage: python record_placements.py > tests/fixtures/placement-cases.json   (needs TensorFlow 2.x; takes about 5 s)

Every graph is placed twice: by the master of /job:ps/task:0, whose device has the smallest name of the cluster (so the
result is also that of TensorFlow 1.x's rule), and by the master of /job:worker/task:1.
"""
import ctypes
import json
import os
import re
import socket
import sys
import tempfile

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
import tensorflow.compat.v1 as tf  # noqa: E402
from google.protobuf import json_format  # noqa: E402
from tensorflow.python.framework import errors  # noqa: E402

tf.disable_eager_execution()
PS0, PS1, W0, W1 = '/job:ps/task:0', '/job:ps/task:1', '/job:worker/task:0', '/job:worker/task:1'


def const(name, value=1.0):
    return tf.constant(value, name=name)


def node(graph, op, name, inputs=(), device='', **attrs):
    """A node exactly as given; Python's own checks of devices and colocation do not apply."""
    out = attrs.pop('out', [tf.float32])
    made = graph.create_op(op, list(inputs), out, name=name, compute_device=False, attrs=attrs or None)
    made._set_device_from_string(device)
    return made


def attr_type(dtype=tf.float32):
    return tf.AttrValue(type=dtype.as_datatype_enum)


def loc(*names):
    return tf.AttrValue(list=tf.AttrValue.ListValue(s=[f'loc:@{name}'.encode() for name in names]))


def identity(name, source, device='', **attrs):
    return node(tf.get_default_graph(), 'Identity', name, [source], device, T=attr_type(), **attrs).outputs[0]


def unconstrained():
    tf.add(const('a'), const('b'), name='c')


def pinned():
    with tf.device(PS0):
        a = const('a')
    with tf.device(PS1):
        b = const('b')
    tf.add(a, b, name='c')


def partial_names():
    for name, device in dict(job='/job:ps', job_cpu='/job:worker/cpu:0', bare='/cpu:0', task='/job:worker/task:0', legacy='/job:worker/replica:0/task:1/cpu:0', second='/cpu:1').items():
        with tf.device(device):
            tf.add(const(f'{name}_a'), const(f'{name}_b'), name=name)


def reference_edge():
    with tf.device(PS1):
        v = tf.Variable([1.0, 2.0], name='v', use_resource=False)
    with tf.device(W0):
        tf.assign_add(v, [1.0, 1.0], name='upd')
        tf.scatter_add(v, [0], [5.0], name='scatter')


def resource_edge():
    with tf.device(PS1):
        v = tf.Variable(1.0, name='v', use_resource=True)
    with tf.device(W0):
        v.assign_add(1.0, name='upd', read_value=False)


def resource_generator_unpinned():
    v = tf.Variable(1.0, name='v', use_resource=True)
    with tf.device(PS1):
        tf.raw_ops.AssignVariableOp(resource=v.handle, value=const('one'), name='set')


def queue():
    with tf.device(PS1):
        q = tf.FIFOQueue(3, [tf.float32], shapes=[[]], name='q', shared_name='q')
    with tf.device(W0):
        q.enqueue(const('one'), name='put')
        q.dequeue(name='get')


def colocate_with():
    with tf.device(PS1):
        a = const('a')
    with tf.colocate_with(a.op):
        tf.add(const('x'), const('y'), name='z')


def generators():
    one, two, none = const('one_consumer'), const('two_devices'), const('no_consumer')
    same = const('same_device')
    with tf.device(PS1):
        tf.negative(one, name='n0')
        tf.negative(two, name='n1')
        tf.negative(same, name='n2')
        tf.abs(same, name='n3')
    with tf.device(W0):
        tf.negative(two, name='n4')
        with tf.control_dependencies([none]):
            tf.no_op(name='after')


def placeholder():
    x = tf.placeholder(tf.float32, name='x')
    with tf.device(W0):
        tf.negative(x, name='neg')


def metadata():
    with tf.device(PS1):
        x = tf.negative(const('seed', [1.0, 2.0]), name='x')
    tf.raw_ops.Shape(input=x, name='shape')
    tf.raw_ops.Size(input=x, name='size')
    tf.raw_ops.Rank(input=x, name='rank')
    with tf.device(W0):
        tf.raw_ops.Shape(input=x, name='pinned_shape')


def identities():
    with tf.device(PS1):
        x = tf.negative(const('seed'), name='x')
    same, differs, two = identity('same', x), identity('differs', x), identity('two_consumers', x)
    identity('no_consumer', x)
    with tf.device(PS1):
        tf.abs(same, name='abs0')
    with tf.device(W0):
        tf.abs(differs, name='abs1')
        tf.abs(two, name='abs2')
        tf.negative(two, name='neg2')


def chain():
    with tf.device(W0):
        a = tf.negative(const('seed'), name='a')
    b = tf.negative(a, name='b')
    with tf.device('/job:worker'):
        tf.negative(b, name='c')


def regression():
    with tf.device('/job:ps'):
        w = tf.Variable(0.0, name='w', use_resource=False)
    with tf.device(W0):
        loss = tf.square(w * 2.0 - 4.0, name='loss')
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def colocation_conflict():
    with tf.device(PS1):
        a = const('a')
    identity('b', const('c'), W0, _class=loc(a.op.name))


def colocation_type_conflict():
    with tf.device('/job:worker/task:1/device:CPU:0'):
        a = const('a')
    identity('b', const('c'), '/job:worker/task:1/device:CPU:1', _class=loc(a.op.name))


def two_resources():
    with tf.device(PS0):
        v = tf.raw_ops.VariableV2(shape=[], dtype=tf.float32, name='v')
    with tf.device(PS1):
        w = tf.raw_ops.VariableV2(shape=[], dtype=tf.float32, name='w')
    tf.raw_ops.ApplyMomentum(var=v, accum=w, lr=const('lr'), grad=const('g'), momentum=const('m'), name='apply')


def at(device):
    def build():
        identity('x', const('seed'), device)

    return build


def gpu_variable():
    with tf.device('/job:ps/task:1/device:GPU:0'):
        v = tf.Variable(1.0, name='v', use_resource=False)
    tf.assign_add(v, 1.0, name='upd')


def no_kernel(device):
    def build():
        node(tf.get_default_graph(), 'NcclAllReduce', 'n', [const('seed')], device, T=attr_type(), reduction=tf.AttrValue(s=b'sum'), num_devices=tf.AttrValue(i=1), shared_name=tf.AttrValue(s=b''))

    return build


CASES = [
    ('unconstrained nodes', unconstrained, False),
    ('pinned constants, free sum', pinned, False),
    ('partial device names', partial_names, False),
    ('a reference edge overrides the consumer device', reference_edge, False),
    ('a resource edge overrides the consumer device', resource_edge, False),
    ('a free resource handle goes where its consumer is pinned', resource_generator_unpinned, False),
    ('a queue on another task', queue, False),
    ('colocate_with', colocate_with, False),
    ('generators follow consumers that agree', generators, False),
    ('a placeholder follows its consumer', placeholder, False),
    ('metadata ops follow their input', metadata, False),
    ('identities follow their input', identities, False),
    ('a chain with a pinned start', chain, False),
    ('a training step with its variable on the ps', regression, False),
    ('explicit colocation against a device', colocation_conflict, False),
    ('explicit colocation against a device, soft', colocation_conflict, True),
    ('explicit colocation against a device index', colocation_type_conflict, False),
    ('explicit colocation against a device index, soft', colocation_type_conflict, True),
    ('an op on variables of two tasks', two_resources, False),
    ('an op on variables of two tasks, soft', two_resources, True),
    ('a task that is not there', at('/job:worker/task:7'), False),
    ('a task that is not there, soft', at('/job:worker/task:7'), True),
    ('a job that is not there', at('/job:localhost/task:0'), False),
    ('a job that is not there, soft', at('/job:localhost'), True),
    ('a device index that is not there', at('/job:worker/task:0/device:CPU:3'), False),
    ('a device index that is not there, soft', at('/job:worker/task:0/device:CPU:3'), True),
    ('a GPU that is not there', at('/job:worker/task:0/device:GPU:0'), False),
    ('a GPU that is not there, soft', at('/job:worker/task:0/device:GPU:0'), True),
    ('a bare GPU that is not there', at('/device:GPU:0'), False),
    ('a bare GPU that is not there, soft', at('/device:GPU:0'), True),
    ('a variable on a GPU that is not there, soft', gpu_variable, True),
    ('a variable on a GPU that is not there', gpu_variable, False),
    ('a malformed device name', at('/job:ps/tusk:1'), False),
    ('an op without kernel', no_kernel(''), False),
    ('an op without kernel on the other job', no_kernel(W0), False),
    ('an op without kernel on the other ps', no_kernel(PS1), False),
    ('an op without kernel on a full device', no_kernel('/job:ps/replica:0/task:1/device:CPU:0'), False),
]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(('127.0.0.1', 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def start_cluster():
    ports = [f'127.0.0.1:{port}' for port in free_ports(4)]
    spec = tf.train.ClusterSpec({'ps': ports[:2], 'worker': ports[2:]})
    config = tf.ConfigProto(device_count={'CPU': 2})
    return {
        (job, task): tf.train.Server(spec, job_name=job, task_index=task, config=config if job == 'worker' else tf.ConfigProto(device_count={'CPU': 1}))
        for job in ('ps', 'worker')
        for task in (0, 1)
    }


def server_text(message):
    """What came over the wire: without the client's stack traces, which end with a line that names the node."""
    return re.split(r"^Node: '[^']*'\n", message, flags=re.M)[-1]


def placements(target, graph, soft):
    """What the placer prints with log_device_placement, or the error."""
    config = tf.ConfigProto(allow_soft_placement=soft, log_device_placement=True)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tempfile.TemporaryFile() as out:
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(out.fileno(), 1)
        try:
            with graph.as_default():
                with tf.Session(target, graph=graph, config=config) as session:
                    session.run('nothing_to_do')
        except errors.OpError as error:
            return {'code': error.error_code, 'message': server_text(error.message)}
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(saved, 1)
            os.close(saved)
        out.seek(0)
        text = out.read().decode()
    found = dict(re.findall(r'^(\S+): \(\w+\): (\S+)$', text, re.M))
    found.pop('nothing_to_do', None)
    return {'devices': found}


def without_debug_info(graph_def):
    for each in graph_def.node:
        each.ClearField('experimental_debug_info')
        each.ClearField('experimental_type')
    return json_format.MessageToDict(graph_def)


def main():
    servers = start_cluster()
    cases = []
    for name, build, soft in CASES:
        graph = tf.Graph()
        with graph.as_default():
            try:
                build()
            except ValueError as error:
                print('cannot build', name, error, file=sys.stderr)
                continue
        graph_def = graph.as_graph_def()
        with graph.as_default():
            tf.no_op(name='nothing_to_do')
        case = {'name': name, 'soft': soft, 'graph': without_debug_info(graph_def)}
        for rule, key in (('firstTask', ('ps', 0)), ('local', ('worker', 1))):
            case[rule] = placements(servers[key].target, graph, soft)
        cases.append(case)
    print('[\n' + ',\n'.join(json.dumps(case) for case in cases) + '\n]')
    sys.stdout.flush()
    os._exit(0)


main()
