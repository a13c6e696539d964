import type { Log } from '../../service/log.ts';

/** For programs on standard output, for people in the log. `goodFor`: milliseconds. */
export function tellPin({ pin, goodFor }: { readonly pin: string; readonly goodFor: number }, log: Log): void {
  process.stdout.write(`pairing PIN ${pin}\n`);
  log.info(
    `to make this machine one of your lab, type its PIN ${pin} in Lanflow on your own computer within ${goodFor / 60_000} minutes; "lanflow agent --pin" shows a new one`,
  );
}
