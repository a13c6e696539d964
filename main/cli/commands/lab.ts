import { join } from 'node:path';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import type { Identity } from '#proto/trust/identity.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { IssuedRecord } from '../../store/lab/lab-file.ts';
import { bringNewsToMachines } from '../bring-news.ts';
import { type AddCommand, action } from '../command.ts';
import { openOwnLab } from '../own-lab.ts';
import { formatJson, formatTable } from '../terminal.ts';
import { addLabUsers } from './lab-users.ts';

interface IssueFlags {
  readonly task?: string;
  readonly machine?: string;
  readonly out: string;
}

/** What `lanflow task` wants to be given. */
const FILES = { cert: 'cert.pem', key: 'key.pem', ca: 'ca.pem', crl: 'crl.pem' } as const;

export const addLabCommand: AddCommand = (program, context) => {
  const { terminal } = context;
  const open = () => openOwnLab((line) => terminal.log(line));
  const command = program.command('lab').description('the authority that your machines trust, and the certificates that it has issued');
  command
    .command('status', { isDefault: true })
    .description('who is who; makes the lab at first use')
    .option('--json', 'as JSON')
    .action(
      action('lab status', context, async (_, { json }: { json?: true }) => {
        const lab = await open();
        const [facts, issued] = [await lab.facts(), await lab.issued()];
        if (json) terminal.print(formatJson({ ...facts, issued }));
        else
          terminal.print(
            `lab ${facts.id}, ${facts.isOwner ? 'yours' : 'of somebody else'}, authority ${facts.fingerprint}\n\n${issuedTable(issued)}`,
          );
      }),
    );
  addLabUsers(command, context);
  command
    .command('issue')
    .description('write certificate and key for a task or machine that is set up by hand')
    .option('--task <job:index>', 'for this task')
    .option('--machine <id>', 'for all tasks of this machine')
    .requiredOption('--out <folder>', `where ${Object.values(FILES).join(', ')} go`)
    .action(
      action('lab issue', context, async (_, flags: IssueFlags) => {
        const issued = await (await open()).issue(identitiesOf(flags));
        const path = (file: keyof typeof FILES): string => join(flags.out, FILES[file]);
        await writeFileAtomically(path('key'), issued.key);
        await writeFileAtomically(path('cert'), issued.certificate);
        await writeFileAtomically(path('ca'), issued.authority);
        await writeFileAtomically(path('crl'), issued.revocations);
        terminal.print(`--tls-cert ${path('cert')} --tls-key ${path('key')} --tls-ca ${path('ca')} --tls-crl ${path('crl')}`);
      }),
    );
  command
    .command('revoke')
    .description('a certificate counts no longer; tells all machines that can be reached')
    .argument('<serial>', 'its serial number or fingerprint')
    .action(
      action('lab revoke', context, async (_, which: string) => {
        const lab = await open();
        const { names } = await lab.revoke(which);
        terminal.print(`revoked ${names.map(decodeURIComponent).join(', ')}; the list is ${lab.files.crl}`);
        await bringNewsToMachines(terminal);
      }),
    );
  command
    .command('replace-authority')
    .description('a new key for the authority, and certificates of it for all machines that can be reached; the old one counts on')
    .option('--forget-old', 'instead, the old one and all that it has issued count no longer')
    .action(
      action('lab replace-authority', context, async (_, { forgetOld }: { forgetOld?: true }) => {
        const lab = await open();
        if (forgetOld) {
          // Those that can be reached get a certificate of the new one while the old one still opens their doors.
          await bringNewsToMachines(terminal);
          for (const { names } of await lab.forgetOldAuthorities())
            terminal.print(`${names.map(decodeURIComponent).join(', ')} must be paired, invited or set up anew`);
        } else await lab.replaceAuthority();
        terminal.print(`authority ${(await lab.facts()).fingerprint}; tasks set up by hand need the new ${lab.files.ca}`);
        await bringNewsToMachines(terminal);
      }),
    );
};

function identitiesOf({ task, machine }: IssueFlags): readonly Identity[] {
  const [, job, index] = /^([A-Za-z]\w*):(\d+)$/.exec(task ?? '') ?? [];
  if (task !== undefined && job === undefined) throw invalidArgument(`--task: '${task}' is not of the form worker:0`);
  const identities: Identity[] = [];
  if (job !== undefined) identities.push({ kind: 'task', name: `/job:${job}/replica:0/task:${Number(index)}` });
  if (machine !== undefined) identities.push({ kind: 'machine', name: machine });
  if (identities.length === 0) throw invalidArgument('Say whom it is for, with --task or --machine');
  return identities;
}

function issuedTable(issued: readonly IssuedRecord[]): string {
  const rows = issued.map(({ serial, names, expiresAt, revokedAt }) => [
    names.map((name) => decodeURIComponent(name.replace(/^lanflow:/, ''))).join(', '),
    expiresAt.slice(0, 10),
    revokedAt === undefined ? '' : `revoked ${revokedAt.slice(0, 10)}`,
    serial,
  ]);
  return formatTable([['FOR', 'UNTIL', '', 'SERIAL'], ...rows]);
}
