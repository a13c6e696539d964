/** What is measured with a client: one kind of step, repeated. `client.py` has the same workloads under the same names. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  /** Least advantage to reach. */
  readonly goal: number;
  /** Steps in one round. */
  readonly steps: number;
  /** The figure that a round of `steps` in `seconds` stands for. */
  figure(seconds: number, steps: number): number;
}

const milliseconds = (seconds: number, steps: number): number => (seconds / steps) * 1000;
const rate = (seconds: number, steps: number): number => steps / seconds;

const BULK_MEGABYTES = 100;

export const workloads: readonly Workload[] = [
  { name: 'noop', title: 'no-op step', unit: 'ms', better: 'less', goal: 0.5, steps: 300, figure: milliseconds },
  { name: 'read', title: 'ps scalar read', unit: 'ms', better: 'less', goal: 0.5, steps: 100, figure: milliseconds },
  { name: 'assign_add', title: 'remote assign_add', unit: 'steps/s', better: 'more', goal: 0.5, steps: 100, figure: rate },
  { name: 'regression', title: 'four-task regression', unit: 'steps/s', better: 'more', goal: 0.5, steps: 60, figure: rate },
  {
    name: 'traced',
    title: 'the same with a full trace',
    unit: 'steps/s',
    better: 'more',
    goal: 0.5,
    steps: 30,
    figure: rate,
  },
  {
    name: 'bulk',
    title: '100 MB ps → worker',
    unit: 'MB/s',
    better: 'more',
    goal: 1 / 3,
    steps: 3,
    figure: (seconds, steps) => (BULK_MEGABYTES * steps) / seconds,
  },
];
