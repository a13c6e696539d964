import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import type { Attrs } from '#proto/wire/attr.ts';
import type { StatusError } from '#proto/wire/status.ts';
import type { DeviceType } from '../engine/device.ts';

/**
 * Where a node goes that may go to several devices of one type. `first-task`: to the smallest full name of the cluster, as
 * in TensorFlow 1.x. `local`: to the master's own task before the others, as in TensorFlow 2.x.
 */
export type PlacementRule = 'first-task' | 'local';

/** Is there a kernel for this op with these attrs on devices of this type? Answered from one table for all tasks alike. */
export type HasKernel = (op: string, type: DeviceType, attrs: Attrs) => boolean;

/** Why a node is where it is; data for a view that shows a placement before a run. */
export type PlacementReason =
  /** Its own device text asks for it. */
  | { readonly kind: 'requested' }
  /** Its own device text asks for a device that is not there; soft placement dropped type and index. */
  | { readonly kind: 'softened' }
  /** It must share a device with this node. */
  | { readonly kind: 'colocated'; readonly with: string }
  /** It has state and was placed by an earlier Create or Extend of the session. */
  | { readonly kind: 'kept' }
  /** An Identity, or an op that looks only at shapes, stays with the node it reads. */
  | { readonly kind: 'follows-input'; readonly input: string }
  /** A node without inputs goes where all its consumers are. */
  | { readonly kind: 'follows-consumers' }
  /** Nothing decides: the first device by the rule. */
  | { readonly kind: 'default'; readonly rule: PlacementRule };

export interface Placement {
  /** Full device name. */
  readonly device: string;
  readonly reason: PlacementReason;
}

/** A node that has no place. */
export interface PlacementProblem {
  /** Empty when it is about no node in particular. */
  readonly node: string;
  readonly error: StatusError;
  /** All nodes that must share a device with it, itself included, and have no place for that reason. */
  readonly colocated: readonly string[];
}

/** By node name; every node of the graph has one, but for those about which `onProblem` was told. */
export type Placements = ReadonlyMap<string, Placement>;

export interface PlacementOptions {
  /** All devices of the session, in any order; not empty. */
  readonly devices: readonly DeviceAttributes[];
  /** The master's own task, `/job:worker/replica:0/task:0`. */
  readonly task: string;
  readonly rule: PlacementRule;
  /** Device type and index may be dropped when they cannot be had; job, replica and task never. */
  readonly soft: boolean;
  readonly hasKernel: HasKernel;
  /** Told of each problem, and the rest is placed all the same; without it the first problem is thrown. */
  readonly onProblem?: (problem: PlacementProblem) => void;
}

/** The reason for programs that have words of their own for it: its kind, and the node or input that decides. */
export function reasonKind(reason: PlacementReason): { readonly reasonKind: string; readonly about: string } {
  const about = reason.kind === 'colocated' ? reason.with : reason.kind === 'follows-input' ? reason.input : '';
  return { reasonKind: reason.kind === 'default' ? reason.rule : reason.kind, about };
}

/** One sentence of the reason, for people. */
export function reasonText(reason: PlacementReason): string {
  switch (reason.kind) {
    case 'requested':
      return 'requested';
    case 'softened':
      return 'as requested, but for the device type or index, which are not there';
    case 'colocated':
      return `colocated with ${reason.with}`;
    case 'kept':
      return 'placed earlier in this session';
    case 'follows-input':
      return `follows its input ${reason.input}`;
    case 'follows-consumers':
      return 'follows its consumers';
    case 'default':
      return reason.rule === 'local' ? "first device, the master's own task before others" : 'first device of the cluster';
  }
}
