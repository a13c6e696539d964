import type { NodePatch } from '../model/commands.ts';

/** Sets fields of the node that the inspector shows. */
export type Setter = (patch: NodePatch) => void;
