import type { AppInfo } from '#proto/ipc/contract.ts';

/** For a report: one line for each part, without anything personal. */
export function versionsText({ versions }: Pick<AppInfo, 'versions'>): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name}: ${version}`)
    .join('\n');
}
