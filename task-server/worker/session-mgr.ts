import type { CreateWorkerSessionRequest } from '#proto/generated/tensorflow/worker_pb.ts';
import { aborted, invalidArgument, unimplemented } from '#proto/wire/status.ts';
import type { Device } from '../engine/device.ts';
import { ResourceManager } from '../engine/resource-manager.ts';
import { GraphMgr } from './graph-mgr.ts';
import type { WorkerEnv } from './worker-env.ts';

interface WorkerSession {
  readonly graphMgr: GraphMgr;
  /** The master that made the session; `''` if it did not say. */
  readonly masterTask: string;
  readonly masterIncarnation: bigint;
  /** Resources that end with the session; those of shared devices are not among them. */
  readonly ownResources: readonly ResourceManager[];
}

/** The sessions that masters have on this worker, several masters at a time. */
export class SessionMgr {
  readonly #env: WorkerEnv;
  readonly #sessions = new Map<string, WorkerSession>();
  /** For callers of the old protocol, made when the first one comes. */
  #legacy: WorkerSession | undefined;

  constructor(env: WorkerEnv) {
    this.#env = env;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** A second call with the same handle changes nothing. */
  create(request: CreateWorkerSessionRequest): void {
    const { sessionHandle, serverDef, masterTask, masterIncarnation, isolateSessionState } = request;
    if (sessionHandle === '') throw invalidArgument('Session must be non-empty.');
    if ((serverDef?.cluster?.job.length ?? 0) > 0) {
      throw unimplemented(`A cluster of the session's own (ConfigProto.cluster_def) is not served by ${this.#env.task}`);
    }
    this.#dropStale(masterTask, masterIncarnation);
    if (this.#sessions.has(sessionHandle)) return;
    const devices = isolateSessionState ? this.#env.devices.map(isolatedView) : this.#env.devices;
    this.#sessions.set(sessionHandle, {
      graphMgr: new GraphMgr(this.#env, devices),
      masterTask,
      masterIncarnation,
      ownResources: isolateSessionState ? devices.map(({ resources }) => resources) : [],
    });
  }

  /** ABORTED, as for a worker that has restarted, when there is no such session. */
  graphMgr(sessionHandle: string, createWorkerSessionCalled: boolean): GraphMgr {
    if (!createWorkerSessionCalled) return this.#legacySession().graphMgr;
    const session = this.#sessions.get(sessionHandle);
    if (session) return session.graphMgr;
    throw aborted(`Session handle is not found: ${sessionHandle}. Possibly this worker ("${this.#env.task}") just restarted.`);
  }

  /** Unknown handles are no error: the session is gone, as the caller wants it. */
  delete(sessionHandle: string): void {
    const session = this.#sessions.get(sessionHandle);
    this.#sessions.delete(sessionHandle);
    if (session) end(session, `Session ${sessionHandle} was closed`);
  }

  dispose(): void {
    for (const handle of [...this.#sessions.keys()]) this.delete(handle);
    if (this.#legacy) end(this.#legacy, `${this.#env.task} is shutting down`);
  }

  /** A master that comes back with another incarnation has restarted and does not know its old sessions any more. */
  #dropStale(masterTask: string, masterIncarnation: bigint): void {
    if (masterTask === '') return;
    for (const [handle, session] of this.#sessions) {
      if (session.masterTask === masterTask && session.masterIncarnation !== masterIncarnation) this.delete(handle);
    }
  }

  #legacySession(): WorkerSession {
    this.#legacy ??= { graphMgr: new GraphMgr(this.#env, this.#env.devices), masterTask: '', masterIncarnation: 0n, ownResources: [] };
    return this.#legacy;
  }
}

function end({ graphMgr, ownResources }: WorkerSession, why: string): void {
  graphMgr.dispose(aborted(why));
  for (const resources of ownResources) resources.dispose();
}

function isolatedView(device: Device): Device {
  const { name, type, incarnation, attributes, computer } = device;
  return { name, type, incarnation, attributes, computer, resources: new ResourceManager(device.resources.defaultContainer) };
}
