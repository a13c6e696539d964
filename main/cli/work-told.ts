import type { InstallInfo } from '#proto/ipc/contract/machines.ts';
import type { CommandContext } from './command.ts';
import { formatJson, type Terminal } from './terminal.ts';

/** Tells how far the work on a machine is, each time when that has changed. `onHostKey`: the user is to say whether this key is right. */
export function workTeller(terminal: Terminal, onHostKey: (info: InstallInfo) => void = () => undefined): (info: InstallInfo) => void {
  const told = new Map<string, string>();
  return (info) => {
    const line = lineOf(info);
    if (told.get(info.host) === line) return;
    told.set(info.host, line);
    if (info.stage === 'host key' && info.hostKey !== '') onHostKey(info);
    else if (info.stage === 'uploading') terminal.glimpse(line);
    else terminal.progress(line);
  };
}

/** What has become of all machines; the command fails when some of the work has not been done. */
export function tellOutcome({ terminal, fail }: CommandContext, infos: readonly InstallInfo[], { json }: { readonly json?: true }): void {
  if (json) terminal.print(formatJson(infos));
  else for (const info of infos) terminal.print(lineOf(info));
  if (infos.some(({ stage }) => stage !== 'done')) fail();
}

function lineOf({ host, stage, fraction, message, hostKey }: InstallInfo): string {
  const percent = stage === 'uploading' ? ` ${Math.floor(fraction * 100)} %` : '';
  return `${host}: ${stage}${percent}${message === '' ? '' : `: ${message}`}${hostKey === '' ? '' : ` ${hostKey}`}`;
}
