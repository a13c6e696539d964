import { create } from '@bufbuild/protobuf';
import {
  type CreateSessionRequest,
  type ExtendSessionRequest,
  type ListDevicesResponse,
  ListDevicesResponseSchema,
} from '#proto/generated/tensorflow/master_pb.ts';
import { taskOfDevice } from '#proto/wire/device-name.ts';
import { aborted, cancelled, invalidArgument, StatusError, toStatusError } from '#proto/wire/status.ts';
import { DeviceFilters } from './device-filters.ts';
import { findDevices, keptTasks } from './device-finder.ts';
import type { MasterEnv } from './master-env.ts';
import type { MasterCallOptions, MasterInterface, RunStepCall, RunStepResult } from './master-interface.ts';
import { createMasterSession, type MasterSession } from './master-session.ts';
import { SessionLeases } from './session-leases.ts';

const RESET_TIMEOUT_MS = 10_000;

/** The master of a task. Whoever makes it disposes it, before the workers go. */
export function createMaster(env: MasterEnv): MasterInterface & { readonly sessionCount: number; dispose(): Promise<void> } {
  return new Master(env);
}

class Master implements MasterInterface {
  readonly #env: MasterEnv;
  readonly #sessions = new Map<string, MasterSession>();
  readonly #leases: SessionLeases;

  constructor(env: MasterEnv) {
    this.#env = env;
    this.#leases = new SessionLeases(env.after, (handle) => this.#expire(handle));
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  async createSession(
    request: CreateSessionRequest,
    { signal, connection }: MasterCallOptions = {},
  ): Promise<{ sessionHandle: string; graphVersion: bigint }> {
    const session = await createMasterSession(this.#env, request, signal);
    if (signal?.aborted) {
      await session.close();
      throw signal.reason instanceof StatusError ? signal.reason : cancelled('CreateSession was cancelled', { cause: signal.reason });
    }
    this.#sessions.set(session.handle, session);
    this.#leases.hold(session.handle, connection);
    return { sessionHandle: session.handle, graphVersion: 0n };
  }

  async extendSession(request: ExtendSessionRequest, { connection }: MasterCallOptions = {}): Promise<bigint> {
    const session = this.#session(request.sessionHandle);
    this.#leases.hold(session.handle, connection);
    return session.extend(request);
  }

  async runStep(call: RunStepCall, options: MasterCallOptions = {}): Promise<RunStepResult> {
    const session = this.#session(call.sessionHandle);
    return this.#leases.during(session.handle, options, () => session.run(call, options.signal));
  }

  async closeSession(sessionHandle: string): Promise<void> {
    const session = this.#sessions.get(sessionHandle);
    if (!session) throw aborted(`Session ${sessionHandle} is not found. Possibly, this master has restarted.`);
    this.#sessions.delete(sessionHandle);
    this.#leases.release(sessionHandle);
    await session.close();
  }

  /** Without a handle: what the cluster has, waiting for every task of it. */
  async listDevices(sessionHandle: string, { signal }: MasterCallOptions = {}): Promise<ListDevicesResponse> {
    if (sessionHandle === '') return this.#clusterDevices(signal);
    const session = this.#sessions.get(sessionHandle);
    if (!session) throw invalidArgument(`Session ${sessionHandle} is not found. Possibly, this master has restarted.`);
    return session.listDevices();
  }

  async reset(containers: readonly string[], deviceFilters: readonly string[]): Promise<void> {
    const tasks = keptTasks(this.#env, new DeviceFilters(deviceFilters, this.#env.task));
    const sessions = this.#takeSessions();
    await Promise.all(tasks.map((task) => this.#cleanupAll(task, containers)));
    await Promise.all(sessions.map((session) => session.close()));
  }

  /** Ends all sessions; their running steps are cancelled. */
  async dispose(): Promise<void> {
    const reason = cancelled(`Step was cancelled because ${this.#env.task} is shutting down`);
    await Promise.all(this.#takeSessions().map((session) => session.close(reason)));
  }

  async #cleanupAll(task: string, containers: readonly string[]): Promise<void> {
    try {
      await this.#env.workers.worker(task)?.cleanupAll(containers, { timeoutMs: RESET_TIMEOUT_MS });
    } catch (error) {
      this.#env.log(`Reset could not free the containers of ${task}: ${toStatusError(error).message}`);
    }
  }

  async #clusterDevices(signal: AbortSignal | undefined): Promise<ListDevicesResponse> {
    const devices = await findDevices(this.#env, new DeviceFilters([], this.#env.task), signal);
    const isLocal = ({ name }: { name: string }): boolean => taskOfDevice(name) === this.#env.task;
    return create(ListDevicesResponseSchema, {
      localDevice: devices.filter(isLocal),
      remoteDevice: devices.filter((device) => !isLocal(device)),
    });
  }

  #expire(handle: string): void {
    const session = this.#sessions.get(handle);
    this.#sessions.delete(handle);
    this.#leases.release(handle);
    this.#env.log(`Session ${handle} is ended: its client is gone`);
    void session?.close(cancelled('The client of the session is gone'));
  }

  #session(handle: string): MasterSession {
    const session = this.#sessions.get(handle);
    if (session) return session;
    throw aborted(`Session ${handle} is not found.`);
  }

  #takeSessions(): MasterSession[] {
    const sessions = [...this.#sessions.values()];
    for (const handle of this.#sessions.keys()) this.#leases.release(handle);
    this.#sessions.clear();
    return sessions;
  }
}
