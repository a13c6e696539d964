import { existsSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { RunPlan, TaskPorts } from '#proto/ipc/contract.ts';
import { failedPrecondition, toStatusError } from '#proto/wire/status.ts';
import { type ClusterInput, ClusterSpec, Graph, parseDeviceName, Session } from '../client/index.ts';
import { LocalCluster, type LocalClusterOptions } from '../cluster/local-cluster.ts';
import { bundlePath } from '../program-host/bundles.ts';
import { wantedTasks } from '../program-host/placement/expected-devices.ts';
import type { ProgramSource } from '../program-host/protocol.ts';
import { addressesOf, runRecorded } from '../program-host/recorded-run.ts';
import { type RunEvent, type RunProgramOptions, type RunResult, runProgram } from '../program-host/run-program.ts';
import { findProgram } from '../programs/index.ts';
import type { NewRun } from '../runs/start-recording.ts';
import { isGraph, type NamedProgram } from './named-program.ts';
import { type PlanFlags, pinsOf, planOf } from './plan-flags.ts';
import { recordHere } from './recording.ts';
import { readCluster, sessionOptions, type TargetFlags } from './target.ts';
import type { Terminal } from './terminal.ts';
import { userStore } from './user-store.ts';

/** How the tasks of a local cluster are started. */
export type LocalFlags = Pick<LocalClusterOptions, 'engine' | 'placement'>;

export interface ProgramFlags extends TargetFlags, LocalFlags, PlanFlags {
  readonly reset?: true;
  /** False leaves no trace of the run in the app. */
  readonly record?: boolean;
  /** What the flags for graphs say. */
  readonly plan?: RunPlan;
}

/** A trace that a program handed over, or that the plan asked for. */
export interface NamedTrace {
  readonly client: string;
  readonly name: string;
  readonly metadata: RunMetadata;
}

export interface ProgramRun extends RunResult {
  readonly traces: readonly NamedTrace[];
}

/** A command goes on where no settings can be read. */
async function wantedPorts(terminal: Terminal): Promise<TaskPorts> {
  try {
    return (await userStore(terminal).settings.read()).ports;
  } catch (error) {
    terminal.log(`Any free ports are used: ${toStatusError(error).message}`);
    return 'any';
  }
}

/** Runs a program, shows what it says and records it. Rejects when it fails or when its result is not the right one. */
export async function runProgramHere(
  program: NamedProgram,
  flags: ProgramFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ProgramRun> {
  const traces: NamedTrace[] = [];
  const { source } = program;
  const cluster = isGraph(program) ? clusterOfGraph(flags) : await clusterFor(flags, terminal, signal);
  const { operationTimeoutMs } = sessionOptions(flags, terminal);
  const local = { ...(flags.engine && { engine: flags.engine }), ...(flags.placement && { placement: flags.placement }) };
  const options: RunProgramOptions = {
    entry: bundlePath('program-host/index.js'),
    source,
    // They are children of this command, which needs no agent then, and takes them with it however it ends.
    form: async (wants) => LocalCluster.start({ ...wants, ports: await wantedPorts(terminal), ...local }),
    plan: { ...flags.plan, ...planOf(flags) },
    pins: pinsOf(flags),
    ...(cluster && { cluster, reset: flags.reset === true }),
    ...(isGraph(program) && flags.target !== undefined && { target: flags.target }),
    ...(operationTimeoutMs !== undefined && { operationTimeoutMs }),
    signal,
    onEvent: (event) => {
      if (event.kind === 'trace') traces.push({ ...event, metadata: fromBinary(RunMetadataSchema, event.metadata) });
      else showEvent(event, terminal);
    },
  };
  const recorder = flags.record !== false && isThere(source) ? await recordHere(newRun(program, cluster), terminal) : undefined;
  const result = await (recorder ? runRecorded(recorder, options) : runProgram(options));
  if (result.problems.length > 0) {
    const hint = cluster && !flags.reset ? '. Variables of an earlier run may still be on this cluster: --reset clears them' : '';
    throw failedPrecondition(`the result is not right: ${result.problems.join('; ')}${hint}`);
  }
  return { ...result, traces };
}

/** What cannot even be tried is no run. */
function isThere(source: ProgramSource): boolean {
  if ('sample' in source) return findProgram(source.sample) !== undefined;
  return existsSync('graph' in source ? source.graph : source.module);
}

function newRun({ source, name, title }: NamedProgram, cluster: ClusterInput | undefined): NewRun {
  const spec = new ClusterSpec(cluster ?? {});
  const wanted = 'sample' in source ? (findProgram(source.sample)?.cluster ?? {}) : {};
  const tasks = cluster ? spec.tasks.map(({ name }) => name) : wantedTasks(wanted);
  return { title, program: name, programTitle: title, tasks, cluster: addressesOf(spec) };
}

/** A graph has one master: what is told besides serves to name the others. */
function clusterOfGraph({ cluster, target }: ProgramFlags): ClusterInput | undefined {
  if (cluster !== undefined) return readCluster(cluster);
  return target === undefined ? undefined : {};
}

function showEvent(event: Exclude<RunEvent, { kind: 'trace' }>, terminal: Terminal): void {
  if (event.kind === 'steps' || event.kind === 'graph') return;
  if (event.kind === 'log' || event.kind === 'notice') terminal.log(`${clientLabel(event.client)}${event.text}`);
  else if (event.kind === 'sample') terminal.glimpse(`${clientLabel(event.client)}${event.series} = ${event.value} at step ${event.step}`);
  else terminal.progress(`${clientLabel(event.client)}${event.text}`);
}

/** `worker 0: `, and nothing for a program's only client. */
function clientLabel(client: string): string {
  const { job, task } = parseDeviceName(client) ?? {};
  return job === undefined ? '' : `${job} ${task}: `;
}

/** The cluster that the flags name; with nothing but a target, all its tasks as seen through that one master. */
export async function clusterFor(flags: ProgramFlags, terminal: Terminal, signal: AbortSignal): Promise<ClusterInput | undefined> {
  if (flags.cluster !== undefined) return readCluster(flags.cluster);
  if (flags.target === undefined) return undefined;
  const address = flags.target.replace(/^grpc:\/\//, '');
  const session = new Session(flags.target, { graph: new Graph(), ...sessionOptions(flags, terminal) });
  try {
    const jobs: Record<string, Record<number, string>> = {};
    for (const { name } of await session.listDevices({ signal })) {
      const { job, task } = parseDeviceName(name) ?? {};
      if (job !== undefined && task !== undefined) jobs[job] = { ...jobs[job], [task]: address };
    }
    return jobs;
  } finally {
    await session.close();
  }
}
