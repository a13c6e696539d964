import { join } from 'node:path';
import { CONTRACT_VERSION } from '#proto/ipc/frames.ts';
import { ClusterManager } from '../cluster/cluster-manager.ts';
import { RunLibrary } from '../runs/run-library.ts';
import { openStore } from '../store/index.ts';
import { isProcessAlive } from '../store/is-process-alive.ts';
import { writeFileAtomically } from '../store/write-file.ts';
import { Channel } from './channel.ts';
import type { Emit } from './handler.ts';
import { appHandlers } from './handlers/app.ts';
import { clusterHandlers } from './handlers/clusters.ts';
import { graphHandlers } from './handlers/graphs.ts';
import { machineHandlers } from './handlers/machines.ts';
import { programHandlers } from './handlers/programs.ts';
import { runHandlers } from './handlers/runs.ts';
import { settingsHandlers } from './handlers/settings.ts';
import { RunControl } from './run-control.ts';
import { ThisMachine } from './this-machine.ts';
import { VERSION, versions } from './versions.ts';

export interface CoreEnv {
  readonly dataFolder: string;
  readonly logFile: string;
  readonly log: (line: string) => void;
  /** The built program host. */
  readonly programHost: string;
  /** Folder with the source texts of the samples. */
  readonly programSources: string;
}

export interface Core {
  readonly channel: Channel;
  /** Stops all runs and clusters of this core; resolves when everything is recorded and no process is left. */
  close(): Promise<void>;
}

/** Builds the core: everything that is known and done, behind one channel. */
export async function createCore({ dataFolder, logFile, log, programHost, programSources }: CoreEnv): Promise<Core> {
  const emit: Emit = (name, payload) => channel.emit(name, payload);
  const store = openStore(dataFolder, log);
  const machine = new ThisMachine(await store.machineId());
  const clusters = await ClusterManager.open({
    store,
    machine: machine.id,
    onChange: () => emit('clusters.changed', { clusters: clusters.list() }),
    onLog: (cluster, task, line) => control.addTaskLine(cluster, task, line),
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
  const control = new RunControl({ programHost, clusters, runs });
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
    ...machineHandlers(machine),
    ...programHandlers(programSources),
    ...clusterHandlers(clusters, machine),
    ...graphHandlers(),
    ...runHandlers(runs, control),
  };
  const channel = new Channel({ handlers, log });
  return {
    channel,
    close: async () => {
      await control.close();
      await clusters.close();
    },
  };
}
