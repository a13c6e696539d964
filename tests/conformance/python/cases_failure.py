"""Tasks that die and come back."""

from harness import Background, abandon, case, failure, seconds, tf


@case('R59 a ps dies in the middle of a step')
def killed_ps(cluster):
    own = cluster.another({'ps': 1, 'worker': 2})
    with tf.device('/job:ps/task:0'):
        queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]], shared_name='r59')
        dequeue = queue.dequeue()
        on_ps = tf.constant(1.0) + 1.0
    with tf.device('/job:worker/task:1'):
        waiting = dequeue + 1.0
        elsewhere = tf.constant(2.0) * 2.0
    session = abandon(own.session())
    before = session.run(elsewhere)
    session.run(on_ps)
    blocked = Background(lambda: failure(lambda: session.run(waiting), '/job:ps/replica:0/task:0'))
    blocked.join(1)
    was_blocked = blocked.is_alive()
    own.kill('ps', 0)
    took = seconds(lambda: blocked.result(10))
    assert took < 5, took
    codes = [blocked.result(), failure(lambda: session.run(on_ps), '/job:ps/replica:0/task:0')]
    after = session.run(elsewhere)
    own.stop()
    return {'before': before, 'blocked': was_blocked, 'codes': codes, 'after': after}


@case('R60 a ps comes back without its variables')
def restarted_ps(cluster):
    own = cluster.another({'ps': 1, 'worker': 1})
    with tf.device('/job:ps/task:0'):
        variable = tf.Variable(1.0, name='r60')
    session = abandon(own.session())
    session.run(variable.initializer)
    before = session.run(variable.assign_add(5.0))
    own.restart('ps', 0)
    codes = [aborted_after_reconnect(lambda: session.run(variable)) for _ in range(2)]
    with own.session() as fresh:
        codes.append(failure(lambda: fresh.run(variable), 'uninitialized'))
        fresh.run(variable.initializer)
        after = fresh.run(variable)
    own.stop()
    return {'before': before, 'codes': codes, 'after': after}


def aborted_after_reconnect(call):
    """The first tries may still meet the broken connection."""
    for _ in range(20):
        code = failure(call, '/job:ps/replica:0/task:0')
        if code != 'UNAVAILABLE':
            return failure(call, 'not found', 'just restarted')
    return code
