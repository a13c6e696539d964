"""Variables: shared by name, outliving sessions, containers, before initialization."""

from harness import Background, case, failure, np, tf, wait_until

KINDS = {'ref': False, 'resource': True}


def scalar(name, value, resource, job='ps', task=0, **options):
    with tf.device('/job:%s/task:%d' % (job, task)):
        return tf.get_variable(name, initializer=value, use_resource=resource, **options)


@case('R39 clients share a variable by its name, and it outlives their sessions')
def shared_by_name(cluster):
    results = {}
    for kind, resource in KINDS.items():
        with tf.Graph().as_default():
            variable = scalar('r39_' + kind, 1.0, resource)
            with cluster.session('worker', 0) as first:
                first.run(variable.initializer)
                first.run(variable.assign_add(2.0))
        with tf.Graph().as_default():
            variable = scalar('r39_' + kind, 1.0, resource)
            with cluster.session('worker', 1) as second:
                results[kind] = [second.run(variable), second.run(variable.assign_add(2.0))]
    assert [float(value) for value in results['ref']] == [3.0, 5.0]
    return results


@case('R40 a name used again with another shape or type')
def another_shape(cluster):
    results = {}
    for kind, resource in KINDS.items():
        for change, first, second in [
            ('shape', np.zeros([100], np.float32), np.zeros([200], np.float32)),
            ('type', np.float32(1), np.float64(1)),
        ]:
            name = 'r40_%s_%s' % (kind, change)
            for value in [first, second]:
                with tf.Graph().as_default(), cluster.session() as session:
                    variable = scalar(name, value, resource)
                    if value is first:
                        session.run(variable.initializer)
                    elif kind == 'resource' and change == 'shape':
                        session.run(variable.initializer)
                        results[name] = str(session.run(variable).shape)
                    else:
                        says = {
                            'ref shape': 'Assign requires shapes of both tensors to match. lhs shape= [100] rhs shape= [200]',
                            'ref type': 'does not match declared output type double_ref',
                            'resource type': 'Trying to assign variable with wrong dtype. Expected float got double',
                        }
                        results[name] = failure(lambda: session.run(variable.initializer), says['%s %s' % (kind, change)])
    return results


@case('R41 reset clears containers on every task and ends the sessions of that master')
def reset(cluster):
    graph = tf.Graph()
    with graph.as_default():
        with tf.container('boxA'):
            boxed = scalar('r41_a', 1.0, False)
        plain = scalar('r41_b', 2.0, False)
        init = tf.global_variables_initializer()
    session = cluster.session(graph=graph)
    session.run(init)
    tf.Session.reset(cluster.target(), ['no such container'])
    codes = [failure(lambda: session.run(plain), ' is not found')]
    session = cluster.session(graph=graph)
    kept = session.run([boxed, plain])
    tf.Session.reset(cluster.target(), ['boxA'])
    codes.append(failure(lambda: session.run(plain), ' is not found'))
    session = cluster.session(graph=graph)
    codes.append(failure(lambda: session.run(boxed), 'uninitialized'))
    plain_after = session.run(plain)
    tf.Session.reset(cluster.target())
    session = cluster.session(graph=graph)
    codes.append(failure(lambda: session.run(plain), 'uninitialized'))
    return {'kept': kept, 'codes': codes, 'plain after': plain_after}


@case('R43 reading before initialization')
def uninitialized(cluster):
    results = {}
    says = {'ref': ['Attempting to use uninitialized value r43_ref'], 'resource': ['Could not find variable r43_resource', 'uninitialized']}
    for kind, resource in KINDS.items():
        variable = scalar('r43_' + kind, 1.0, resource)
        with cluster.session() as session:
            results[kind] = [
                failure(lambda: session.run(variable.read_value()), '/job:ps/replica:0/task:0', *says[kind]),
                session.run(tf.is_variable_initialized(variable)),
                session.run(tf.report_uninitialized_variables([variable])),
            ]
            session.run(variable.initializer)
            results[kind] += [session.run(tf.is_variable_initialized(variable)), session.run(tf.report_uninitialized_variables([variable]))]
    return results


@case('R46 a fetched value is a snapshot')
def snapshots(cluster):
    with tf.device('/job:ps/task:0'):
        variable = tf.Variable([1.0, 2.0], name='r46')
        add = variable.assign_add([1.0, 1.0])
    with cluster.session() as session:
        session.run(variable.initializer)
        first = session.run(add)
        second = session.run(add)
    assert first.tolist() == [2.0, 3.0]
    return {'first': first, 'second': second}


@case('R46 a reader on another task never sees half of an update')
def whole_updates(cluster):
    with tf.device('/job:ps/task:0'):
        variable = tf.get_variable('r46_whole', initializer=tf.zeros([1_000_000]), use_resource=True)
        update = variable.assign_add(tf.ones([1_000_000]), use_locking=True, read_value=False)
        read = variable.read_value()
    with tf.device('/job:worker/task:1'):
        smallest, largest = tf.reduce_min(read), tf.reduce_max(read)
    with cluster.session() as session:
        session.run(variable.initializer)
        session.run([smallest, largest])
        writer = Background(lambda: [session.run(update) for _ in range(15)])
        seen = [session.run([smallest, largest]) for _ in range(15)]
        writer.result()
        final = session.run(smallest)
    return {'torn': [str(pair) for pair in seen if pair[0] != pair[1]], 'final': final}


@case('R47 local variables live on their own task and have their own initializer')
def local_variables(cluster):
    def build(task):
        with tf.device('/job:worker/task:%d' % task):
            return tf.get_variable('r47', initializer=2.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=False)

    with tf.Graph().as_default():
        local = build(1)
        scalar('r47_global', 1.0, False)
        with cluster.session() as session:
            session.run(tf.global_variables_initializer())
            code = failure(lambda: session.run(local), 'uninitialized')
            session.run(tf.local_variables_initializer())
            value = session.run(local)
            changed = session.run(local.assign_add(1.0))
    with tf.Graph().as_default():
        other = build(0)
        with cluster.session() as session:
            session.run(tf.local_variables_initializer())
            independent = session.run(other)
    return {'before': code, 'value': value, 'changed': changed, 'independent': independent}


@case('waiting for initialization by another client')
def wait_for_initialization(cluster):
    with tf.Graph().as_default() as graph:
        scalar('waited_a', 1.0, False)
        scalar('waited_b', 1.0, True)
        report, init = tf.report_uninitialized_variables(), tf.global_variables_initializer()
    waiting, chief = cluster.session('worker', 1, graph=graph), cluster.session('worker', 0, graph=graph)
    before = waiting.run(report)
    chief.run(init)
    wait_until(lambda: len(waiting.run(report)) == 0, 5)
    after = waiting.run(report)
    waiting.close()
    chief.close()
    return {'before': before, 'after': after}
