import type { ProgramInfo } from '#proto/ipc/contract.ts';
import type { IconName } from '../../components/icons.ts';
import type { MessageKey } from '../../locales/catalogues.ts';

type Kind = ProgramInfo['kind'];

export const kindIcons: Readonly<Record<Kind, IconName>> = { sample: 'programs', code: 'code', graph: 'edit', 'graph-def': 'file' };

export const kindTexts = {
  sample: 'programs.kindSample',
  code: 'programs.kindCode',
  graph: 'programs.kindGraph',
  'graph-def': 'programs.kindGraphDef',
} as const satisfies Readonly<Record<Kind, MessageKey>>;

/** Kept by the core for the user, who may change it. */
export function isOwn({ name }: Pick<ProgramInfo, 'name'>): boolean {
  return name.startsWith('own/');
}

/** One of those that come with Lanflow. */
export function isSample({ kind }: Pick<ProgramInfo, 'kind'>): boolean {
  return kind === 'sample';
}
