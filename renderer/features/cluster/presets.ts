import { spreadJobs } from '../../stores/cluster-drafts.ts';
import type { Draft } from './draft.ts';

interface Preset {
  /** How people read it: the title of a cluster that is made from it. */
  readonly title: string;
  /** What it is good for. */
  readonly hint: 'cluster.presetPs' | 'cluster.presetRegression' | 'cluster.presetLetters';
  readonly jobs: readonly (readonly [name: string, tasks: number])[];
}

/** The clusters of the lessons. */
export const presets: readonly Preset[] = [
  {
    title: '1 ps + 2 workers',
    hint: 'cluster.presetPs',
    jobs: [
      ['ps', 1],
      ['worker', 2],
    ],
  },
  {
    title: '2 canshu + 2 gongzuo',
    hint: 'cluster.presetRegression',
    jobs: [
      ['canshu', 2],
      ['gongzuo', 2],
    ],
  },
  {
    title: 'A, B, C + D',
    hint: 'cluster.presetLetters',
    jobs: [
      ['A', 1],
      ['B', 1],
      ['C', 1],
      ['D', 1],
    ],
  },
];

/** On these machines in turn. */
export function fromPreset({ title, jobs }: Preset, machines: readonly string[]): Draft {
  return { title, jobs: spreadJobs(jobs, machines) };
}
