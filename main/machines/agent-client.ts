import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type AgentEvent,
  AgentService,
  type CertificateRequest,
  type LogLine,
  type Reach,
  type Task,
  type TaskSetupSchema,
  type Trust,
} from '#proto/generated/lanflow/agent_pb.ts';
import type { Renewal } from '#proto/trust/renewal.ts';
import { Rpc, type RpcTarget } from './rpc.ts';

/** What a task is started with. */
export type TaskSetup = Omit<MessageInitShape<typeof TaskSetupSchema>, '$typeName' | '$unknown'>;

export interface EventsOptions {
  /** Keep a private agent alive as long as this goes on. */
  readonly keep: boolean;
  /** Next line to hear of each task that is known; see `EventsRequest`. */
  readonly logFrom: Readonly<Record<string, number>>;
  readonly onEvent: (event: AgentEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * One agent, wherever it is, as those see it who form clusters. Tasks are named `CLUSTER/job:JOB/task:INDEX`. Calls reject with
 * UNAVAILABLE when the agent cannot be reached. Who opens it closes it.
 */
export interface AgentClient {
  /** Ports that are kept free until their tasks start, half a minute at most. ALREADY_EXISTS when a wanted one is in use. */
  reservePorts(wanted: readonly number[]): Promise<readonly number[]>;
  /** Resolves as soon as the process is being started; the rest comes as events. */
  startTask(setup: TaskSetup): Promise<Task>;
  /** Resolves when the process is gone. */
  stopTask(id: string): Promise<void>;
  /** Ends the process if there is one, and starts another, by another setup if one is given. */
  restartTask(id: string, setup?: TaskSetup): Promise<Task>;
  setRestart(id: string, restart: boolean): Promise<Task>;
  disturbTask(id: string, how: 'kill' | 'pause' | 'resume'): Promise<Task>;
  /** Opens it to a network in plain text for some seconds, or closes it. Resolves when the task has been told; its status says the rest. */
  setOpening(id: string, opening: { readonly network: string; readonly seconds: number } | undefined): Promise<Task>;
  logs(id: string, from: number): Promise<{ readonly lines: readonly LogLine[]; readonly total: number }>;
  /** What becomes of connections from there to `host:port` of other machines. */
  checkReach(addresses: readonly string[]): Promise<readonly Reach[]>;
  /** A new key, which stays there, and the request for its certificate. */
  requestCertificate(): Promise<CertificateRequest>;
  /** What the lab has issued for it. */
  setTrust(trust: Trust): Promise<void>;
  /** Leaves a user's request there; resolves to the new certificate, empty as long as there is none. */
  renew(renewal: Renewal): Promise<string>;
  /** Requests left there that nobody has answered. */
  renewals(): Promise<readonly Renewal[]>;
  /** The certificate that one of these users has asked for. */
  answerRenewal(certificate: string): Promise<void>;
  /** A snapshot, then every change. Resolves when the signal aborts; rejects when the connection is lost. */
  events(options: EventsOptions): Promise<void>;
  close(): void;
}

/** Ordinary calls are answered at once; nobody waits for one that is not. */
const LIMIT_MS = 10_000;

const { method } = AgentService;

/** An agent that is spoken to by gRPC. */
export class GrpcAgentClient implements AgentClient {
  readonly #rpc: Rpc;

  constructor(target: RpcTarget) {
    this.#rpc = new Rpc(target);
  }

  async reservePorts(wanted: readonly number[]): Promise<readonly number[]> {
    return (await this.#rpc.unary(method.reservePorts, { port: [...wanted] }, { timeoutMs: LIMIT_MS })).port;
  }

  startTask(setup: TaskSetup): Promise<Task> {
    return this.#rpc.unary(method.startTask, setup, { timeoutMs: LIMIT_MS });
  }

  async stopTask(id: string): Promise<void> {
    await this.#rpc.unary(method.stopTask, { id }, { timeoutMs: LIMIT_MS });
  }

  restartTask(id: string, setup?: TaskSetup): Promise<Task> {
    return this.#rpc.unary(method.restartTask, { id, ...(setup && { setup }) }, { timeoutMs: LIMIT_MS });
  }

  setRestart(id: string, restart: boolean): Promise<Task> {
    return this.#rpc.unary(method.setRestart, { id, restart }, { timeoutMs: LIMIT_MS });
  }

  disturbTask(id: string, how: 'kill' | 'pause' | 'resume'): Promise<Task> {
    return this.#rpc.unary(method.disturbTask, { id, how }, { timeoutMs: LIMIT_MS });
  }

  setOpening(id: string, opening: { readonly network: string; readonly seconds: number } | undefined): Promise<Task> {
    return this.#rpc.unary(method.setOpening, { id, ...opening }, { timeoutMs: LIMIT_MS });
  }

  async logs(id: string, from: number): Promise<{ readonly lines: readonly LogLine[]; readonly total: number }> {
    const { line, total } = await this.#rpc.unary(method.getLogs, { id, from }, { timeoutMs: LIMIT_MS });
    return { lines: line, total };
  }

  async checkReach(addresses: readonly string[]): Promise<readonly Reach[]> {
    return (await this.#rpc.unary(method.checkReach, { address: [...addresses] }, { timeoutMs: LIMIT_MS })).reach;
  }

  requestCertificate(): Promise<CertificateRequest> {
    return this.#rpc.unary(method.requestCertificate, {}, { timeoutMs: LIMIT_MS });
  }

  async setTrust(trust: Trust): Promise<void> {
    await this.#rpc.unary(method.setTrust, trust, { timeoutMs: LIMIT_MS });
  }

  async renew({ certificate, request, signature }: Renewal): Promise<string> {
    return (await this.#rpc.unary(method.renew, { certificate, request, signature }, { timeoutMs: LIMIT_MS })).certificate;
  }

  async renewals(): Promise<readonly Renewal[]> {
    return (await this.#rpc.unary(method.listRenewals, {}, { timeoutMs: LIMIT_MS })).renewal;
  }

  async answerRenewal(certificate: string): Promise<void> {
    await this.#rpc.unary(method.answerRenewal, { certificate }, { timeoutMs: LIMIT_MS });
  }

  events({ keep, logFrom, onEvent, signal }: EventsOptions): Promise<void> {
    return this.#rpc.stream(method.events, { keep, logs: true, logFrom: { ...logFrom } }, { signal, onMessage: onEvent });
  }

  close(): void {
    this.#rpc.close();
  }
}
