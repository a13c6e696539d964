import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { deadlineExceeded } from '#proto/wire/status.ts';
import { acceptInvitation } from '../../machines/lan/accept-invitation.ts';
import { Invitation } from '../../machines/lan/invitation.ts';
import { invitationPlaces, parseInvitationPlace } from '../../machines/lan/invitation-places.ts';
import { action, type CommandContext } from '../command.ts';
import { ownAuthority } from '../own-lab.ts';

/** How several people use one lab, each from his own machine. */
export function addLabUsers(command: Command, context: CommandContext): void {
  const { terminal } = context;
  const log = (line: string): void => terminal.log(line);
  command
    .command('invite')
    .description('show a PIN with which one other person becomes a user of your lab; ends when he has, or after two minutes')
    .action(
      action('lab invite', context, async (signal) => {
        const authority = ownAuthority(log);
        const guest = await new Promise<string | undefined>((resolve, reject) => {
          const open = async (): Promise<void> => {
            const invitation = await Invitation.open({
              admitUser: (user, request) => authority.admitUser(user, request),
              onOver: resolve,
              log,
            });
            signal.addEventListener('abort', () => {
              invitation.close();
              reject(signal.reason);
            });
            terminal.print(`invitation PIN ${invitation.pin}`);
            for (const place of invitationPlaces(invitation.port)) terminal.print(`lanflow lab join ${place}`);
          };
          open().catch(reject);
        });
        if (guest === undefined) throw deadlineExceeded('Nobody has come within the time of the PIN');
        terminal.print(`${guest} is a user of your lab now`);
      }),
    );
  command
    .command('join')
    .description('become a user of the lab of somebody who invites you')
    .argument('<address>', 'where he invites, as his invitation says')
    .requiredOption('--pin <pin>', 'the one that he sees')
    .option('--as <name>', 'how you are called there', userInfo().username)
    .action(
      action('lab join', context, async (_, address: string, { pin, as: user }: { pin: string; as: string }) => {
        const place = parseInvitationPlace(address);
        const authority = ownAuthority(log);
        await authority.checkFree();
        const { key, request } = await makeRequest(user);
        const trust = await acceptInvitation(place, { pin, user, request });
        await authority.join({ ...trust, key });
        terminal.print(`You are a user of lab ${trust.lab} now`);
      }),
    );
}
