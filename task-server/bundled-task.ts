import { setTimeout as setTimer } from 'node:timers';
import { Dialler } from '#proto/trust/dialler.ts';
import { plaintextOf } from '#proto/trust/tls-files.ts';
import { unavailable } from '#proto/wire/status.ts';
import { createDevices } from './backends/devices.ts';
import { KernelRegistry } from './engine/kernel-registry.ts';
import type { TaskOptions } from './flags.ts';
import { kernelSpecs } from './kernels/index.ts';
import { createMaster } from './master/master.ts';
import type { MasterEnv } from './master/master-env.ts';
import { clusterTasks, type OwnTask } from './service/cluster-tasks.ts';
import { GrpcTransport } from './service/grpc-transport.ts';
import { MASTER_SERVICES, masterMethods } from './service/master-service.ts';
import { OpeningWatch } from './service/opening-watch.ts';
import { Openings } from './service/openings.ts';
import { parseOpening } from './service/peer-filter.ts';
import { PeerLinks } from './service/peer-links.ts';
import { PeerTransport } from './service/peer-transport.ts';
import { startServer } from './service/server.ts';
import { taskCredentials } from './service/task-credentials.ts';
import { TASK_SERVICE, taskMethods } from './service/task-service.ts';
import { createWorkerCache, RemoteWorkers } from './service/worker-cache.ts';
import { WORKER_SERVICE, workerMethods } from './service/worker-service.ts';
import type { RunningTask, TaskEnv } from './task.ts';
import { RendezvousMgr } from './worker/rendezvous-mgr.ts';
import { TransferLog } from './worker/transfer-log.ts';
import { TransferRoutes } from './worker/transfer-routes.ts';
import { Worker } from './worker/worker.ts';

/** Puts a task of our own engine together and starts its server. */
export async function startBundledTask(options: TaskOptions, own: OwnTask, env: TaskEnv): Promise<RunningTask> {
  const { log } = env;
  const { task } = own;
  const openings = new Openings(options.allow.map(parseOpening));
  const credentials = taskCredentials(task, options.tls, env);
  const dialler = new Dialler(credentials, [...options.plaintext, ...plaintextOf(env.variables)]);
  const kernels = new KernelRegistry(kernelSpecs);
  const devices = await createDevices({
    job: options.job,
    task: options.task,
    virtualDevices: { GPU: options.virtualGpus },
    kernels,
    threadEntry: env.threadEntry,
    log: log.info,
  });
  const cluster = clusterTasks(options.cluster);
  const links = env.variables['LANFLOW_LINK'] === 'off' ? undefined : new PeerLinks({ cluster, ownTask: task, log, dialler });
  const remotes = new RemoteWorkers(cluster, task, (peer) => {
    const secure = () => dialler.secure(peer.address, peer.task);
    return links ? new PeerTransport({ ...peer, secure }, WORKER_SERVICE, links) : new GrpcTransport(peer.address, secure);
  });
  const transferLog = new TransferLog();
  const routes = new TransferRoutes(task, devices);
  const peers = (name: string) => remotes.worker(name);
  const trace = log.traces('rendezvous') ? (event: string) => log.trace('rendezvous', event) : undefined;
  const rendezvousMgr = new RendezvousMgr({ task, peers, routes, transferLog, trace, every });
  const worker = new Worker({ task, devices, kernels, rendezvousMgr, routes, transferLog, yieldToEvents: setImmediate });
  const masterEnv: MasterEnv = {
    task,
    devices: devices.map(({ attributes }) => attributes),
    workers: createWorkerCache(cluster, worker, remotes),
    hasKernel: (op, type, attrs) => kernels.has(op, type, attrs),
    placement: options.placement,
    log: log.info,
    after,
  };
  const master = createMaster(masterEnv);
  const workerService = workerMethods(worker);
  links?.serve(workerService);
  const dispose = async () => {
    await master.dispose();
    const gone = unavailable(`${task} is shutting down`);
    rendezvousMgr.dispose(gone);
    worker.dispose();
    remotes.dispose();
    links?.close();
    for (const { resources } of devices) resources.dispose();
    await Promise.all(devices.map(({ computer }) => computer.dispose()));
  };
  try {
    const server = await startServer({
      listen: options.listen,
      port: own.port,
      openings,
      credentials,
      services: [
        ...MASTER_SERVICES.map((name) => ({ name, methods: masterMethods(master, task) })),
        { name: WORKER_SERVICE, methods: workerService },
        { name: TASK_SERVICE, methods: taskMethods(masterEnv, worker, openings) },
      ],
      links,
      log,
    });
    const watch = options.openings === undefined ? undefined : new OpeningWatch({ path: options.openings, openings, log });
    return {
      task,
      target: `grpc://${hostText(own.host)}:${server.port}`,
      state: () => stateText(server.counts(), master.sessionCount, worker.counts()),
      lost: new Promise(() => {}),
      async stop() {
        watch?.dispose();
        await server.stop(unavailable(`${task} is shutting down`));
        await dispose();
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

type Counts<K extends string> = Readonly<Record<K, number>>;

function stateText(
  { connections, calls }: Counts<'connections' | 'calls'>,
  sessions: number,
  worker: Counts<'sessions' | 'steps'>,
): string {
  return `connections ${connections}, calls ${calls}, master sessions ${sessions}, worker sessions ${worker.sessions}, steps ${worker.steps}`;
}

function after(ms: number, callback: () => void): () => void {
  const timer = setTimer(callback, ms);
  return () => clearTimeout(timer);
}

function every(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms).unref();
  return () => clearInterval(timer);
}

function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
