import { toStatusError } from '#proto/wire/status.ts';
import { bringNews } from '../machines/lan/news.ts';
import { openLab } from './local-lab.ts';
import { ownAuthority } from './own-lab.ts';
import type { Terminal } from './terminal.ts';

/** Tells all machines of the lab what has changed in it, and the user which of them do not know. */
export async function bringNewsToMachines(terminal: Terminal): Promise<void> {
  const lab = ownAuthority((line) => terminal.log(line));
  const { id } = await lab.info();
  const { machines, close } = await openLab(terminal);
  try {
    const isMember = (machine: string): boolean => machine !== machines.here || machines.get(machine).machine?.lab === id;
    const members = machines.members.filter((each) => isMember(each.id));
    const outcomes = await Promise.all(
      members.map(async (link) => {
        const name = machines.now().find((each) => each.id === link.id)?.name ?? link.id;
        try {
          await bringNews(link, { lab, proof: link.id === machines.here ? 'local' : 'link' });
          return `${name} knows of it`;
        } catch (error) {
          return `${name} does not know of it yet, and will when the app or a command reaches it: ${toStatusError(error).message}`;
        }
      }),
    );
    for (const outcome of outcomes) terminal.print(outcome);
  } finally {
    await close();
  }
}
