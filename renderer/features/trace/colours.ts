import type { TraceDevice } from '#proto/ipc/contract.ts';
import { deviceColor } from '../../components/device.ts';
import { resolveColours } from '../../plots/timeline/css-colours.ts';
import type { TimelineColours } from '../../plots/timeline/draw.ts';
import { familyOf } from '../../plots/timeline/op-family.ts';
import { familyColours } from '../../plots/timeline/op-family-look.ts';
import type { SliceRef } from '../../plots/timeline/timeline-data.ts';

/** What the colour of a slice tells. */
export type Colouring = 'device' | 'family';

/** Colours of a timeline as its host element has them now. */
interface SliceColours {
  readonly base: TimelineColours;
  readonly lanes: readonly string[];
  readonly of: (slice: SliceRef) => string;
}

export function sliceColours(host: HTMLElement, lanes: readonly TraceDevice[], colouring: Colouring): SliceColours {
  const base = resolveColours(host, {
    background: 'var(--panel)',
    stripe: 'var(--stripe)',
    line: 'var(--line)',
    text: 'var(--text)',
    muted: 'var(--muted)',
    onSlice: 'var(--panel)',
    accent: 'var(--accent)',
  });
  const families = resolveColours(host, familyColours);
  const devices = resolveColours(host, Object.fromEntries(lanes.map(({ device }) => [device, deviceColor(device)])));
  const laneColours = lanes.map(({ device }) => devices[device] ?? base.muted);
  const byOp = new Map(lanes.flatMap(({ ops }) => ops).map((op) => [op, families[familyOf(op)]]));
  const face = getComputedStyle(host).getPropertyValue('--mono');
  return {
    base: { ...base, face },
    lanes: laneColours,
    of: ({ lane, slice }) => (colouring === 'device' ? laneColours[lane] : byOp.get(lanes[lane]?.ops[slice] ?? '')) ?? base.muted,
  };
}
