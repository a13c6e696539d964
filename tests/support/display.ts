import { startChild } from './task-child.ts';

export interface Display {
  /** Value of DISPLAY. */
  readonly name: string;
  stop(): Promise<void>;
}

/** An X server of our own, seen by nobody; it chooses a free number. Systems without X need none. */
export async function startDisplay(): Promise<Display> {
  if (process.platform !== 'linux') return { name: '', stop: async () => {} };
  // Without -noreset it starts anew when its last client goes, and a SIGTERM in that moment is lost.
  const server = startChild({ program: 'Xvfb', args: ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp', '-noreset'] });
  const number = await server.line((line) => /^\d+$/.test(line));
  return {
    name: `:${number}`,
    stop: async () => {
      server.kill('SIGTERM');
      await server.ended;
    },
  };
}
