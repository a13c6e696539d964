import type { PlacementView } from '#proto/ipc/contract.ts';
import type { I18n } from '../../locales/i18n.svelte.ts';

/** As the master tells them apart. */
const kinds = ['requested', 'softened', 'colocated', 'kept', 'follows-input', 'follows-consumers', 'first-task', 'local'] as const;

/** Why a node is where it is, in the language of the window; in the master's words for a reason that is new to the window. */
export function reasonWords({ text }: Pick<I18n, 'text'>, placement: PlacementView | undefined, node: string): string {
  const { kind: told = '', about = '' } = placement?.why[node] ?? {};
  const kind = kinds.find((each) => each === told);
  return kind ? text(`graph.reason.${kind}`, { about }) : (placement?.reasons[node] ?? '');
}
