"""The program with which the tutorials end: a parameter server and two workers that increment one variable."""

from harness import Background, case, tf, wait_until


def parameter_server(own, log):
    with tf.Graph().as_default():
        with tf.device('/job:ps/task:0'):
            var = tf.Variable(0.0, name='var')
        with own.session('ps', 0) as session:
            session.run(tf.report_uninitialized_variables())
            session.run(tf.global_variables_initializer())
            for _ in range(5):
                log.append(float(session.run(var)))


def worker(own, number):
    with tf.Graph().as_default():
        with tf.device('/job:ps/task:0'):
            var = tf.Variable(0.0, name='var')
        with own.session('worker', number) as session:
            report, add = tf.report_uninitialized_variables(), var.assign_add(1.0)
            session.run(report)
            wait_until(lambda: len(session.run(report)) == 0, 10)
            return [float(session.run(add)) for _ in range(5)]


@case('tutorial: a ps and two workers bring a variable to 10')
def ps_and_workers(cluster):
    own = cluster.another({'ps': 1, 'worker': 2})
    reads = []
    ps = Background(lambda: parameter_server(own, reads))
    workers = [Background(lambda number=number: worker(own, number)) for number in (0, 1)]
    increments = [each.result() for each in workers]
    ps.result()
    with tf.device('/job:ps/task:0'):
        var = tf.Variable(0.0, name='var')
    with own.session('ps', 0) as session:
        final = session.run(var)
    own.stop()
    assert reads == sorted(reads) and all(each == sorted(each) for each in increments), (reads, increments)
    assert max(increments[0] + increments[1]) == 10.0, increments  # A fetch may already see the other's next increment.
    return {'final': final, 'reads': len(reads)}
