import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { mayDiscover } from '#proto/discovery/may-discover.ts';
import { isProcessAlive } from '#proto/files/is-process-alive.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { CONTRACT_VERSION } from '#proto/ipc/frames.ts';
import { ClusterManager } from '../cluster/cluster-manager.ts';
import { openGate } from '../cluster/gateway/gate.ts';
import { Gateways } from '../cluster/gateway/gateways.ts';
import { plainTasks } from '../cluster/plain-tasks.ts';
import { TemporaryClusters } from '../cluster/temporary-clusters.ts';
import { ownInstallation, ownInstallEnv } from '../install/own-env.ts';
import { Machines } from '../machines/machines.ts';
import { bundlePath } from '../program-host/bundles.ts';
import { RunLibrary } from '../runs/run-library.ts';
import { openStore } from '../store/index.ts';
import { LabAuthority } from '../store/lab/lab-authority.ts';
import { PlaintextAddresses, showCertificate } from '../store/lab/lab-variables.ts';
import { Channel } from './channel.ts';
import type { Emit } from './handler.ts';
import { appHandlers } from './handlers/app.ts';
import { clusterHandlers } from './handlers/clusters.ts';
import { graphHandlers } from './handlers/graphs.ts';
import { machineHandlers } from './handlers/machines.ts';
import { programHandlers } from './handlers/programs.ts';
import { runHandlers } from './handlers/runs.ts';
import { settingsHandlers } from './handlers/settings.ts';
import { LabGuests } from './lab-guests.ts';
import { languageHandlers } from './language/language-handlers.ts';
import { LanguageService } from './language/language-service.ts';
import { MachineInstalls } from './machine-installs.ts';
import { GraphSource } from './programs/graph-source.ts';
import { type HostProgram, HostPrograms } from './programs/host-programs.ts';
import { PrivateTask } from './programs/private-task.ts';
import { ProgramLibrary } from './programs/program-library.ts';
import { Rehearsals } from './programs/rehearsals.ts';
import { RunControl } from './run-control.ts';
import { VERSION, versions } from './versions.ts';

export interface CoreEnv {
  readonly dataFolder: string;
  readonly logFile: string;
  readonly log: (line: string) => void;
  /** The built agent. */
  readonly agent: string;
  /** The built program host. */
  readonly programHost: string;
  /** The built language server. */
  readonly languageServer: string;
  /** Folder with the source texts of the samples. */
  readonly programSources: string;
  /** Of the application that it is embedded in. */
  readonly hostPrograms?: readonly HostProgram[];
}

export interface Core {
  readonly channel: Channel;
  /** Stops all runs and clusters of this core; resolves when everything is recorded and no process is left. */
  close(): Promise<void>;
}

/** Builds the core: everything that is known and done, behind one channel. */
export async function createCore(env: CoreEnv): Promise<Core> {
  const { dataFolder, logFile, log, agent, programHost, languageServer, programSources } = env;
  let channel: Channel | undefined;
  // What happens before there is a channel no window has to hear of: it asks when it opens.
  const emit: Emit = (name, payload) => channel?.emit(name, payload);
  const store = openStore(dataFolder, log);
  const lab = new LabAuthority({
    ...{ folder: dataFolder, userName: userInfo().username, machineId: () => store.machineId(), warn: log },
    onOpen: (files) => showCertificate(files, process.env),
  });
  const plaintext = new PlaintextAddresses(process.env);
  const machines = await Machines.open({
    ...{ program: agent, dataFolder, log, lab },
    id: await store.machineId(),
    version: VERSION,
    memory: store.machines,
    isDiscovering: mayDiscover(process.env),
  });
  const installs = new MachineInstalls({
    ...ownInstallEnv(ownInstallation(dirname(bundlePath('node_modules')), dataFolder)),
    ...{ machines, log },
    enroll: ({ machine, request }) => lab.admit(machine, request, 'ssh'),
    onChange: (infos) => emit('machines.installing', { installs: infos }),
  });
  // To look at it is no reason to make it.
  const labInfo = async () => ((await lab.state()).id === undefined ? null : lab.info());
  const tellLab = async (guest: string): Promise<void> => emit('machines.labChanged', { lab: await labInfo(), guest });
  const guests = new LabGuests({
    ...{ lab, log },
    userName: userInfo().username,
    onChange: (guest) => {
      void tellLab(guest);
      void machines.lan.refresh();
    },
  });
  const runs = await RunLibrary.open({
    folder: join(dataFolder, 'runs'),
    writeFile: writeFileAtomically,
    isProcessAlive,
    versions: versions(),
    log,
    listener: {
      onInfo: (run) => emit('runs.changed', { run }),
      onSamples: (run, series) => emit('runs.samples', { run, series }),
      onLines: (run, lines) => emit('runs.logged', { run, lines }),
      onRemoved: (run) => emit('runs.removed', { run }),
    },
  });
  const onClusters = (): void => {
    const now = clusters.list();
    plaintext.set(plainTasks(now));
    gateways.follow(now);
    control.noteClusters(now);
    emit('clusters.changed', { clusters: clusters.list() });
  };
  const gateways = new Gateways({ openGate, credentials: () => lab.credentials(), onChange: onClusters, log });
  // Tells things at once, which need all that follows: nothing may be waited for from here on.
  const clusters = await ClusterManager.open({
    store,
    machines,
    log,
    gatewayOf: (cluster) => gateways.addresses(cluster),
    onChange: onClusters,
    onLog: (cluster, task, line) => control.addTaskLine(cluster, task, line),
  });
  const temporary = new TemporaryClusters({ ...{ machines, isProcessAlive, log }, ports: async () => (await store.settings.read()).ports });
  const hosted = new HostPrograms({ programs: env.hostPrograms ?? [], programHost, log, onLearnt: () => void library.tell() });
  const library = new ProgramLibrary({
    ...{ store, programHost, log, hosted, samples: programSources },
    onChange: (programs) => emit('programs.changed', { programs }),
    onPinned: (program, pins) => emit('programs.pinned', { program, pins }),
  });
  const rehearsals = new Rehearsals({ programHost });
  const privateTask = new PrivateTask();
  const graphs = new GraphSource({ library, rehearsals, recorded: runs });
  const language = new LanguageService({ entry: languageServer, log });
  const control = new RunControl({
    ...{ programHost, clusters, runs },
    formFor: (title) => temporary.formFor(title),
    sourceOf: (program) => library.sourceToRun(program),
    pinsOf: (program) => library.pins(program),
    titleOf: async (program) => hosted.titleOf(program) ?? (await library.knownTitle(program)),
  });
  const info = {
    version: VERSION,
    contractVersion: CONTRACT_VERSION,
    versions: versions(),
    dataFolder,
    logFile,
    platform: process.platform,
  };
  const handlers = {
    ...appHandlers(info),
    ...settingsHandlers(store, emit),
    ...machineHandlers({ machines, installs, guests, labInfo, tellLab: () => void tellLab(''), emit }),
    ...programHandlers(
      library,
      languageHandlers(language, (program) => library.source(program)),
    ),
    ...clusterHandlers(clusters, machines, gateways),
    ...graphHandlers({ graphs, clusters, privateTask }),
    ...runHandlers(runs, control),
  };
  channel = new Channel({ handlers, log });
  return {
    channel,
    close: async () => {
      rehearsals.close();
      await control.close();
      runs.close();
      clusters.close();
      await gateways.closeAll();
      guests.end();
      await installs.close();
      temporary.close();
      await Promise.all([machines.close(), privateTask.close(), language.close()]);
    },
  };
}
