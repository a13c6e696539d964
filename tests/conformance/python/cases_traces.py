"""What a traced step tells: which device ran which node, and what was transferred."""

from cases_placement import UNOPTIMIZED, device_nodes
from harness import case, tf


def three_tasks():
    with tf.device('/job:worker/task:0'):
        product = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), name='mm0')
    with tf.device('/job:worker/task:1'):
        add = tf.add(product, 1.0, name='add1')
    with tf.device('/job:ps/task:0'):
        variable = tf.get_variable('tv', initializer=tf.zeros([2, 2]), use_resource=False)
        update = tf.assign_add(variable, add, name='upd')
    return variable, update


def traced(session, fetches, **options):
    metadata = tf.RunMetadata()
    session.run(fetches, options=tf.RunOptions(**options), run_metadata=metadata)
    return metadata


@case('T01 a full trace lists every node on its device and every transfer at its receiver')
def full_trace(cluster):
    variable, update = three_tasks()
    with cluster.session(config=UNOPTIMIZED) as session:
        session.run(variable.initializer)
        nodes = device_nodes(session, update)
        stats = traced(session, update, trace_level=tf.RunOptions.FULL_TRACE).step_stats
    transfers = {}
    for device in stats.dev_stats:
        for node in device.node_stats:
            assert node.all_start_micros > 1e15, node
            assert node.op_start_rel_micros <= node.op_end_rel_micros <= node.all_end_rel_micros, node
            if node.node_name == 'RecvTensor':
                label = node.timeline_label
                assert label.startswith('[') and 'B] [' in label and ' from /job:' in label, label
                assert ' to %s' % device.device in label, label
                transfers[device.device] = transfers.get(device.device, 0) + 1
    # A genuine master switches the log of transfers on without waiting for it, so some may be missing.
    assert set(transfers) <= set(nodes) and (cluster.kind != 'bundled' or transfers == dict.fromkeys(nodes, 1)), transfers
    sources = sorted(d.device for d in stats.dev_stats if any(n.node_name == '_SOURCE' for n in d.node_stats))
    labels = sorted(n.timeline_label.replace('_Mkl', '') for d in stats.dev_stats for n in d.node_stats if n.node_name in ('mm0', 'upd', 'tv'))
    return {'nodes': nodes, 'sources': sources, 'labels': labels}


@case('T02 only a full trace fills the statistics; partition graphs on request')
def trace_levels(cluster):
    variable, update = three_tasks()
    with cluster.session(config=UNOPTIMIZED) as session:
        session.run(variable.initializer)
        filled = [len(traced(session, update, trace_level=level).step_stats.dev_stats) > 0 for level in range(4)]
        graphs = traced(session, update, output_partition_graphs=True).partition_graphs
    ops = [sorted({node.op for node in graph.node if node.op in ('_Send', '_Recv')}) for graph in graphs]
    return {'filled': filled, 'graphs': len(graphs), 'ops': ops}


@case('T06 every step of a trace lists a node once, also one whose tensor several tasks read')
def listed_once(cluster):
    with tf.device('/job:worker/task:0'):
        shared = tf.add(tf.ones([2, 2]), 1.0, name='shared')
    readers = []
    for place in ('/job:worker/task:0', '/job:worker/task:1', '/job:ps/task:0'):
        with tf.device(place):
            readers.append(tf.square(shared, name='reader%d' % len(readers)))
    with tf.device('/job:worker/task:0'):
        total = tf.add_n(readers, name='total')
    counts = []
    with cluster.session(config=UNOPTIMIZED) as session:
        for _ in range(3):
            stats = traced(session, total, trace_level=tf.RunOptions.FULL_TRACE).step_stats
            listed = [(node.node_name, device.device) for device in stats.dev_stats for node in device.node_stats]
            wanted = ('shared', 'reader0', 'reader1', 'reader2', 'total')
            counts.append({'%s on %s' % each: listed.count(each) for each in listed if each[0] in wanted})
            transfers = [node.timeline_label for device in stats.dev_stats for node in device.node_stats if node.node_name == 'RecvTensor']
            tensors = [label[label.index('edge_') :] for label in transfers]
            assert len(tensors) == len(set(tensors)), tensors
    assert all(list(each.values()) == [1] * 5 for each in counts), counts
    return counts
