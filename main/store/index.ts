import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { jobDraftShape, settingsShape } from '#proto/ipc/arguments.ts';
import type { ClusterDraft, Settings } from '#proto/ipc/contract.ts';
import { list, object, text } from '#proto/ipc/shape.ts';
import { VersionedFile } from './versioned-file.ts';

export type SavedCluster = Required<ClusterDraft>;

/** What outlives the processes of Lanflow, except for runs. */
export interface Store {
  readonly settings: VersionedFile<Settings>;
  readonly clusters: VersionedFile<readonly SavedCluster[]>;
  /** Names this machine in clusters, whatever it is called and wherever it is. 16 hex digits. */
  machineId(): Promise<string>;
}

const savedCluster = object<SavedCluster>({ id: text(), title: text(), jobs: list(jobDraftShape) });
const machine = object<{ id: string }>({ id: text({ pattern: /^[0-9a-f]{16}$/ }) });

export function openStore(folder: string, log: (line: string) => void): Store {
  const path = (name: string): string => join(folder, name);
  const settings = { language: 'system', theme: 'system' } as const;
  const machineFile = new VersionedFile({ path: path('machine.json'), version: 1, shape: machine, initial: { id: '' }, log });
  return {
    settings: new VersionedFile({ path: path('settings.json'), version: 1, shape: settingsShape, initial: settings, log }),
    clusters: new VersionedFile({ path: path('clusters.json'), version: 1, shape: list(savedCluster), initial: [], log }),
    machineId: async () => {
      const { id } = await machineFile.read();
      if (id !== '') return id;
      const made = await machineFile.update((current) => (current.id === '' ? { id: randomBytes(8).toString('hex') } : current));
      return made.id;
    },
  };
}
