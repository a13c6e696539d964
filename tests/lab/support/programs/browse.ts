/** Prints what discovery tells, one line of JSON each, until SIGTERM. A line on standard input makes it look again. */
import { createInterface } from 'node:readline';
import { Discovery } from '../../../../main/machines/discovery/discovery.ts';

const print = (value: unknown): void => console.log(JSON.stringify(value));
const discovery = new Discovery({
  onMachine: print,
  onInstallable: (machines) => print({ kind: 'installable', machines }),
  onProblem: (problem) => print({ kind: 'problem', ...problem }),
});
discovery.start();
print({ kind: 'ready' });
createInterface(process.stdin).on('line', () => discovery.lookAgain());
process.on('SIGTERM', async () => {
  await discovery.close();
  process.exit(0);
});
