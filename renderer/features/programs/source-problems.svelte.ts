import type { RunInfo, SourceProblem } from '#proto/ipc/contract.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { App } from '../../stores/app.ts';
import { CheckFollower, type CheckState } from './check-follower.ts';
import { runProblem } from './run-problem.ts';

/** Log lines at the end of a failed run in which its stack may be. */
const LAST_LINES = 300;

/** What is wrong with a program's source: as the core finds it in the text, and as its last run found out. */
export class SourceProblems {
  check = $state.raw<CheckState>({ problems: [], isChecking: false });
  ofRun = $state.raw<SourceProblem | undefined>(undefined);
  readonly all: readonly SourceProblem[] = $derived.by(() => {
    const found = this.check.problems.map((problem) => ({ ...problem, text: this.#app.i18n.message(problem.text) }));
    return this.ofRun ? [this.ofRun, ...found] : found;
  });
  readonly #app: App;
  readonly #program: string;
  readonly #follower: CheckFollower;

  constructor(app: App, program: string) {
    this.#app = app;
    this.#program = program;
    this.#follower = new CheckFollower({
      check: (source) => app.core.call('programs.check', { program, source }),
      publish: (state) => {
        this.check = state;
      },
    });
  }

  follow(source: string): void {
    this.#follower.follow(source);
  }

  /** Suggestions come from where problems come from: what keeps one away is told like what keeps the other. */
  fail(error: unknown): void {
    this.check = { problems: this.check.problems, isChecking: false, error: toStatusError(error) };
  }

  /** Shows where a run failed; undefined shows none. */
  async showRun(run: RunInfo | undefined): Promise<void> {
    this.ofRun = undefined;
    if (!run) return;
    const { i18n, core, toasts } = this.#app;
    const message = i18n.text('programs.runFailed', { when: i18n.when(run.endedAt), error: i18n.message(run.status) });
    await toasts.guard(async () => {
      const from = Math.max(0, run.logLines - LAST_LINES);
      const { lines } = await core.call('runs.logs', { run: run.id, from });
      this.ofRun = runProblem(this.#program, message, [run.status, lines.map(({ text }) => text).join('\n')]);
    });
  }

  dispose(): void {
    this.#follower.dispose();
  }
}
