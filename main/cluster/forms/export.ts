import type { ClusterExport, ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';

/** The host under which a machine is reached by whom the text is for. */
export type HostOf = (machine: string) => string;

type Jobs = ReadonlyMap<string, readonly (readonly [index: number, address: string])[]>;

/** A cluster as texts. Tasks that do not run and have no port of their own stand there with port 0. */
export function exportCluster({ jobs, gateway }: ClusterInfo, hostOf: HostOf): ClusterExport {
  const addressesBy = (of: (task: TaskInfo) => string): Jobs =>
    new Map(jobs.map(({ name, tasks }) => [name, tasks.map((task) => [task.index, of(task)] as const)]));
  const addresses = addressesBy((task) => addressOf(task, hostOf));
  const cluster = toObject(addresses);
  return {
    python: `cluster = tf.train.ClusterSpec(${pythonDict(addresses)})\n`,
    json: `${JSON.stringify(cluster, undefined, 2)}\n`,
    hostfile: hostfile(addresses),
    tfConfig: Object.fromEntries(
      jobs.flatMap(({ name: type, tasks }) => tasks.map(({ name, index }) => [name, JSON.stringify({ cluster, task: { type, index } })])),
    ),
    client: pythonClient(addressesBy((task) => gateway?.[task.name] ?? addressOf(task, hostOf))),
  };
}

function addressOf({ address, machine, port }: TaskInfo, hostOf: HostOf): string {
  if (address !== '') return address;
  const host = hostOf(machine);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const isDense = (tasks: readonly (readonly [number, string])[]): boolean => tasks.every(([index], i) => index === i);

/** Lists where the indexes are 0, 1, 2…, objects by index elsewhere. */
function toObject(jobs: Jobs): Record<string, unknown> {
  return Object.fromEntries(
    [...jobs].map(([name, tasks]) => [name, isDense(tasks) ? tasks.map(([, address]) => address) : Object.fromEntries(tasks)]),
  );
}

function pythonDict(jobs: Jobs): string {
  const lines = [...jobs].map(([name, tasks]) => {
    const texts = tasks.map(([index, address]) => (isDense(tasks) ? `"${address}"` : `${index}: "${address}"`));
    return `    "${name}": ${isDense(tasks) ? `[${texts.join(', ')}]` : `{${texts.join(', ')}}`},\n`;
  });
  return `{\n${lines.join('')}}`;
}

function hostfile(jobs: Jobs): string {
  const lines = [...jobs].flatMap(([name, tasks]) => tasks.map(([index, address]) => `${address}  # /job:${name}/task:${index}\n`));
  return lines.join('');
}

/** Counts up a variable on the first task of the first job and shows which device ran what, with an unmodified TensorFlow. */
function pythonClient(jobs: Jobs): string {
  const [[job, [[index, address] = [0, '']] = []] = ['', []]] = jobs;
  return `import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

cluster = tf.train.ClusterSpec(${pythonDict(jobs)})

with tf.device("/job:${job}/task:${index}"):
    var = tf.get_variable("var", initializer=0.0, use_resource=False)
add_one = tf.assign_add(var, 1.0)

with tf.Session("grpc://${address}") as session:
    for device in session.list_devices():
        print(device.name)
    session.run(tf.global_variables_initializer())
    for step in range(10):
        print("step", step, "var", session.run(add_one))
`;
}
