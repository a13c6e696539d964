import { setTimeout as delay } from 'node:timers/promises';
import { toBinary } from '@bufbuild/protobuf';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { type ClusterInput, ClusterSpec, type ProgramContext, Session, type WaitReport } from '../client/index.ts';
import type { ClientEvent } from './protocol.ts';

/** A context whose sessions are its own; `close` ends them all. */
export interface OwnedContext extends ProgramContext {
  close(): Promise<void>;
}

/** How long a session may take to close when a client ends; its task may be gone. */
const CLOSE_MS = 2000;

export function createContext(jobs: ClusterInput, tell: (event: ClientEvent) => void, signal: AbortSignal): OwnedContext {
  const cluster = new ClusterSpec(jobs);
  const sessions: Session[] = [];
  const own = (session: Session): Session => {
    sessions.push(session);
    return session;
  };
  const onWait = (report: WaitReport): void => tell({ kind: 'wait', text: waitText(report) });
  return {
    cluster,
    signal,
    target: (job, index) => cluster.target(job, index),
    session: (graph, job, index, options) => own(new Session(cluster.target(job, index), { onWait, ...options, graph, cluster })),
    localSession: (graph, { virtualGpus = 0 } = {}) => {
      const flags = virtualGpus > 0 ? ['--virtual-devices', `GPU=${virtualGpus}`] : [];
      return own(new Session(undefined, { graph, localTask: { flags } }));
    },
    log: (text) => tell({ kind: 'log', text }),
    sample: (series, step, value) => tell({ kind: 'sample', series, step, value }),
    trace: (name, metadata) => tell({ kind: 'trace', name, metadata: toBinary(RunMetadataSchema, metadata) }),
    sleep: async (milliseconds) => {
      await delay(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    close: async () => {
      const results = await Promise.allSettled(sessions.map((session) => session.close({ timeoutMs: CLOSE_MS })));
      for (const result of results) if (result.status === 'rejected') tell({ kind: 'log', text: `Closing a session: ${result.reason}` });
    },
  };
}

function waitText({ task, address, reason, sinceMs }: WaitReport): string {
  return `waiting for ${task ?? 'the task'} at ${address} for ${Math.round(sinceMs / 1000)} s: ${reason}`;
}
