"""Placement: devices that exist or not, soft placement, colocation along references, kernels that are missing."""

from harness import case, failure, tf

HARD = tf.ConfigProto(allow_soft_placement=False)
SOFT = tf.ConfigProto(allow_soft_placement=True)


def device_nodes(session, fetches):
    """Device → names of the nodes that ran there, transfers left out."""
    options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
    session.run(fetches, options=options, run_metadata=metadata)
    ran = {}
    for device in metadata.step_stats.dev_stats:
        names = {node.node_name for node in device.node_stats} - {'RecvTensor', '_SOURCE'}
        ran.setdefault(device.device, set()).update(name for name in names if '_S' not in name and 'ctrl' not in name)
    return {device: sorted(names) for device, names in ran.items() if names}


# Nodes keep their names and are all there.
UNOPTIMIZED = tf.ConfigProto()
UNOPTIMIZED.graph_options.rewrite_options.disable_meta_optimizer = True
UNOPTIMIZED.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0


@case('R22 pinned to a device that does not exist')
def unknown_devices(cluster):
    codes = {}
    for device in ['/job:worker/task:7', '/job:nobody', '/job:localhost', '/job:worker/task:0/device:CPU:3']:
        for word, config in [('hard', HARD), ('soft', SOFT)]:
            with tf.Graph().as_default(), tf.device(device):
                node = tf.identity(tf.constant(1.0), name='pinned')
                with cluster.session(config=config) as session:
                    if word == 'soft' and device.endswith('CPU:3'):
                        codes[device + ' soft'] = session.run(node)
                        continue
                    codes['%s %s' % (device, word)] = failure(
                        lambda: session.run(node),
                        'Cannot assign a device for operation ',
                        'was explicitly assigned to %s' % device,
                        'but available devices are [ /job:ps/replica:0/task:0/device:CPU:0, /job:ps/replica:0/task:1/device:CPU:0, ',
                        'Make sure the device specification refers to a valid device',
                    )
    with tf.Graph().as_default(), tf.device('/job:worker/replica:0/task:1/cpu:0'):
        node = tf.constant(5.0) + 1.0
        with cluster.session(config=HARD) as session:
            codes['legacy name'] = session.run(node)
    return codes


@case('R23 a GPU that is not there: an error, or the CPU of the same task under soft placement')
def no_gpu(cluster):
    with tf.device('/job:worker/task:0/gpu:0'):
        doubled = tf.constant([1.0, 2.0]) * 2.0
    with cluster.session(config=HARD) as session:
        code = failure(lambda: session.run(doubled), 'Cannot assign a device for operation', '/job:worker/task:0/device:GPU:0')
    with cluster.session(config=SOFT) as session:
        value = session.run(doubled)
    assert value.tolist() == [2.0, 4.0]
    return {'hard': code, 'soft': value}


@case('R25 updates run where their variable is, whatever device they ask for')
def reference_edges(cluster):
    results = {}
    for kind in ['ref', 'resource']:
        with tf.Graph().as_default():
            with tf.device('/job:ps/task:1'):
                variable = tf.get_variable('r25_' + kind, initializer=[1.0, 2.0], use_resource=kind == 'resource')
            with tf.device('/job:worker/task:0'):
                add = tf.assign_add(variable, [1.0, 1.0], name='add')
            with tf.device('/job:worker/task:1'):
                scatter = tf.scatter_add(variable, [0], [5.0], name='scatter')
            with tf.colocate_with(variable):
                beside = tf.identity(tf.constant(3.0), name='beside')
            with cluster.session(config=UNOPTIMIZED) as session:
                session.run(variable.initializer)
                value = session.run(scatter)
                ran = device_nodes(session, [add.op if kind == 'ref' else add, beside])
            update = [device for device, names in ran.items() for name in names if name == 'add' or name.startswith('AssignAddVariableOp')]
            results[kind] = {'scatter': value, 'update on': update, 'beside on': [d for d, names in ran.items() if 'beside' in names]}
    assert results['ref']['scatter'].tolist() == [6.0, 2.0]
    return results


@case('R25 colocation that contradicts a device')
def conflicting_colocation(cluster):
    with tf.device('/job:ps/task:0'):
        here = tf.constant(1.0, name='here')
    with tf.device('/job:worker/task:1'):
        there = tf.identity(here, name='there')
    there.op._set_attr('_class', tf.AttrValue(list=tf.AttrValue.ListValue(s=[b'loc:@here'])))
    with cluster.session(config=HARD) as session:
        return {'code': failure(lambda: session.run(there), 'Cannot colocate nodes', 'here', 'there', 'Cannot merge devices with incompatible')}


@case('R27 a Python function on a task without Python')
def python_function(cluster):
    with tf.device('/job:ps/task:0'):
        variable = tf.Variable(0.0, name='r27')
        assign = variable.assign(1.0)
    with tf.device('/job:worker/task:1'):
        called = tf.py_func(lambda: 1.0, [], tf.float64, name='called')
        other = tf.constant(2.0) + 1.0
    with cluster.session() as session:
        session.run(variable.initializer)
        code = failure(lambda: session.run([assign, called]), "No registered 'PyFunc' OpKernel", 'called', '/job:worker/replica:0/task:1')
        return {'code': code, 'assigned': session.run(variable), 'others': session.run(other)}


@case('R29 two ones matrices on the ps, one product on each worker')
def matrices(cluster):
    with tf.device('/job:ps/task:0'):
        x = tf.get_variable('r29_x', [2, 2], initializer=tf.ones_initializer())
        y = tf.get_variable('r29_y', [2, 2], initializer=tf.ones_initializer())
    with tf.device('/job:worker/task:0'):
        z = tf.matmul(x, y) + x
    with tf.device('/job:worker/task:1'):
        result = tf.matmul(z, x) + x
    with cluster.session() as session:
        session.run(tf.global_variables_initializer())
        value = session.run(result)
    assert value.tolist() == [[7.0, 7.0], [7.0, 7.0]]
    return {'value': value}
