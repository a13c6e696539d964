import { join } from 'node:path';
import { type AddCommand, action } from '../command.ts';
import { addLocalOptions } from '../local-options.ts';
import { namedProgram } from '../named-program.ts';
import { type LocalFlags, runProgramHere } from '../program-run.ts';
import { writeTrace } from '../trace-output.ts';

/** The sample that the demo runs. */
const DEMO = 'ps-workers';

export const addDemoCommand: AddCommand = (program, context) => {
  const command = program
    .command('demo')
    .description('1 ps and 2 workers on this machine: var climbs to 10, and a trace is written')
    .option('--out <folder>', 'where the trace is written', '.')
    .option('--no-record', 'do not keep the run for the app');
  addLocalOptions(command);
  command.action(
    action('demo', context, async (signal, { out, ...flags }: LocalFlags & { out: string; record?: boolean }) => {
      const { terminal } = context;
      terminal.log('Starting 1 ps and 2 workers as processes of this machine …');
      const { traces, outcomes } = await runProgramHere(await namedProgram(DEMO, terminal), flags, terminal, signal);
      const trace = traces[0];
      if (trace) {
        const path = join(out, 'lanflow-demo-trace');
        await writeTrace(trace.metadata, { chrome: `${path}.json`, pb: `${path}.pb` }, terminal);
      }
      const final = [...outcomes.values()].flatMap(({ finalValue }) => (typeof finalValue === 'number' ? [finalValue] : []));
      terminal.print(`final value ${final.map((value) => value.toFixed(1)).join(', ')}`);
    }),
  );
};
