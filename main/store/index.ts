import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { jobDraftShape, pinsShape, settingsShape } from '#proto/ipc/arguments.ts';
import type { ClusterDraft, Pins, Settings } from '#proto/ipc/contract.ts';
import { integer, list, object, oneOf, record, text } from '#proto/ipc/shape.ts';
import type { LearntProgram, ProgramFacts } from './program-facts.ts';
import { ProgramFiles } from './program-files.ts';
import { VersionedFile } from './versioned-file.ts';

export type SavedCluster = Required<ClusterDraft>;

/** A machine of the lab, as it is remembered while it is not there. */
export interface MachineRecord {
  readonly id: string;
  readonly name: string;
  readonly addresses: readonly string[];
  /** Of its agent. */
  readonly port: number;
}

/** What outlives the processes of Lanflow, except for runs and the lab. */
export interface Store {
  readonly settings: VersionedFile<Settings>;
  readonly clusters: VersionedFile<readonly SavedCluster[]>;
  readonly programFiles: ProgramFiles;
  /** By the name of the program's file. */
  readonly programFacts: VersionedFile<Readonly<Record<string, ProgramFacts>>>;
  /** By program, samples and modules included. */
  readonly pins: VersionedFile<Readonly<Record<string, Pins>>>;
  /** The other machines of the lab. */
  readonly machines: VersionedFile<readonly MachineRecord[]>;
  /** Names this machine in clusters, whatever it is called and wherever it is. 16 hex digits. */
  machineId(): Promise<string>;
}

const savedCluster = object<SavedCluster>({ id: text(), title: text(), jobs: list(jobDraftShape) });
const learnt = object<LearntProgram>({
  stamp: text(),
  title: text(),
  cluster: record(integer(0, 1_000_000)),
  virtualGpus: integer(0, 1000),
  clients: oneOf('one', 'per task'),
});
const facts = object<ProgramFacts>({ title: text() }, { declared: text(), learnt, origin: text() });
const machine = object<{ id: string }>({ id: text({ pattern: /^[0-9a-f]{16}$/ }) });

const machineRecord = object<MachineRecord>({
  id: text({ max: 100 }),
  name: text(),
  addresses: list(text({ max: 255 })),
  port: integer(0, 65_535),
});

export function openStore(folder: string, log: (line: string) => void): Store {
  const path = (name: string): string => join(folder, name);
  const settings = { language: 'system', theme: 'system', ports: 'any' } as const;
  const machineFile = new VersionedFile({ path: path('machine.json'), version: 1, shape: machine, initial: { id: '' }, log });
  return {
    settings: new VersionedFile({ path: path('settings.json'), version: 1, shape: settingsShape, initial: settings, log }),
    clusters: new VersionedFile({ path: path('clusters.json'), version: 1, shape: list(savedCluster), initial: [], log }),
    programFiles: new ProgramFiles(path('programs')),
    programFacts: new VersionedFile({ path: path('programs.json'), version: 1, shape: record(facts), initial: {}, log }),
    machines: new VersionedFile({ path: path('machines.json'), version: 1, shape: list(machineRecord), initial: [], log }),
    pins: new VersionedFile({ path: path('pins.json'), version: 1, shape: record(pinsShape), initial: {}, log }),
    machineId: async () => {
      const { id } = await machineFile.read();
      if (id !== '') return id;
      const made = await machineFile.update((current) => (current.id === '' ? { id: randomBytes(8).toString('hex') } : current));
      return made.id;
    },
  };
}
