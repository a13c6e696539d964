import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { Option } from 'commander';
import type { ClusterInfo } from '#proto/ipc/contract.ts';
import { notFound, toStatusError } from '#proto/wire/status.ts';
import { exportCluster } from '../../cluster/forms/export.ts';
import { parseCluster } from '../../cluster/forms/parse.ts';
import { clusterMove } from '../cluster-move.ts';
import { clusterDown, clusterUp, tasksOf } from '../cluster-up.ts';
import { type AddCommand, action } from '../command.ts';
import { findCluster, type LocalLab, taskNameOf, withLab } from '../local-lab.ts';
import { formatJson, formatTable } from '../terminal.ts';
import { addOpeningCommands, openingText } from './cluster-openings.ts';

const FORMS = ['python', 'json', 'hostfile', 'tf-config', 'client'] as const;

interface ExportFlags {
  readonly form: (typeof FORMS)[number];
  readonly task?: string;
}

export const addClusterCommand: AddCommand = (program, context) => {
  const { terminal } = context;
  const command = program.command('cluster').description('the clusters that you have formed, here or in the app');
  command
    .command('up')
    .description('start a cluster; stays until Ctrl-C where no agent runs that its tasks can be left to')
    .argument('<cluster>', 'its id or title')
    .option('--json', 'what was started as JSON')
    .action(action('cluster up', context, (signal, name: string, flags: { json?: true }) => clusterUp(name, flags, terminal, signal)));
  command
    .command('down')
    .description('stop a cluster, whoever has started it')
    .argument('<cluster>', 'its id or title')
    .action(action('cluster down', context, (_, name: string) => clusterDown(name, terminal)));
  command
    .command('status')
    .description('all clusters, or the tasks of one')
    .argument('[cluster]', 'its id or title')
    .option('--json', 'as JSON')
    .action(
      action('cluster status', context, (_, name: string | undefined, { json }: { json?: true }) =>
        withLab(terminal, async (lab) => {
          if (name === undefined) {
            const all = lab.clusters.list();
            terminal.print(json ? formatJson(all) : clusterTable(all));
          } else {
            const { info } = findCluster(lab, name);
            terminal.print(json ? formatJson(info) : clusterText(info));
          }
        }),
      ),
    );
  command
    .command('move')
    .description('put a task on another machine; where its own one cannot be reached, all tasks that are there')
    .argument('<cluster>', 'its id or title')
    .argument('<job:index>', 'the task, such as worker:1')
    .argument('<machine>', 'where to: name, address or id')
    .action(
      action('cluster move', context, (_, name: string, task: string, machine: string) => clusterMove({ name, task, machine }, terminal)),
    );
  addOpeningCommands(command, context);
  command
    .command('export')
    .description('print a cluster in a form that can be pasted elsewhere')
    .argument('<cluster>', 'its id or title')
    .addOption(new Option('--form <form>', 'which one').choices(FORMS).default('json'))
    .option('--task <job:index>', 'whose TF_CONFIG; that of the first task by default')
    .action(
      action('cluster export', context, (_, name: string, flags: ExportFlags) =>
        withLab(terminal, async (lab) => terminal.print(exportText(lab, name, flags).trimEnd())),
      ),
    );
  command
    .command('import')
    .description('keep a cluster that is read from a ClusterSpec (Python or JSON), a TF_CONFIG or a hostfile')
    .argument('<file>', 'or - for standard input')
    .requiredOption('--title <title>', 'what it is called')
    .option('--json', 'what was kept as JSON')
    .action(
      action('cluster import', context, (_, file: string, { title, json }: { title: string; json?: true }) =>
        withLab(terminal, async ({ clusters, machines }) => {
          const jobs = parseCluster(await readText(file), (host) => machines.idAt(host));
          const cluster = await clusters.save({ title, jobs });
          terminal.print(json ? formatJson(cluster) : cluster.id);
        }),
      ),
    );
};

async function readText(file: string): Promise<string> {
  if (file === '-') return readStream(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw notFound(`${file} cannot be read: ${toStatusError(error).message}`, { cause: error });
  }
}

function exportText(lab: LocalLab, name: string, { form, task }: ExportFlags): string {
  const { info } = findCluster(lab, name);
  const members = tasksOf(info).map(({ machine }) => machine);
  const forms = exportCluster(info, (machine) => lab.machines.hostOf(machine, members));
  if (form !== 'tf-config') return forms[form];
  const wanted = task === undefined ? Object.keys(forms.tfConfig)[0] : taskNameOf(task);
  const config = forms.tfConfig[wanted ?? ''];
  if (config === undefined) throw notFound(`Cluster '${info.title}' has no task ${wanted}`);
  return config;
}

function clusterTable(clusters: readonly ClusterInfo[]): string {
  const rows = clusters.map((cluster) => [
    cluster.id,
    cluster.title,
    cluster.openings ? `${cluster.state}, open` : cluster.state,
    cluster.jobs.map(({ name, tasks }) => `${name} × ${tasks.length}`).join(', '),
  ]);
  return formatTable([['ID', 'TITLE', 'STATE', 'JOBS'], ...rows]);
}

function clusterText(cluster: ClusterInfo): string {
  return [taskTable(cluster), ...(cluster.openings ?? []).map(openingText)].join('\n');
}

function taskTable(cluster: ClusterInfo): string {
  const rows = tasksOf(cluster).map(({ name, state, address, memory, stepsPerSecond, incarnation, restarts, reason }) => [
    name,
    state,
    address || '-',
    memory > 0 ? `${Math.round(memory / 2 ** 20)} MiB` : '-',
    stepsPerSecond >= 0 ? stepsPerSecond.toFixed(1) : '-',
    incarnation || '-',
    String(restarts),
    reason,
  ]);
  return formatTable([['TASK', 'STATE', 'ADDRESS', 'MEMORY', 'STEPS/S', 'INCARNATION', 'RESTARTS', ''], ...rows]);
}
