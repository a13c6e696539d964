import type { EventName, Events, SeriesColumns } from '#proto/ipc/contract.ts';
import type { EventFrame } from '#proto/ipc/frames.ts';
import { joinColumns } from '../runs/columns.ts';

interface Rule<P> {
  /** Payloads of one key become one event. */
  readonly key: (payload: P) => string;
  /** Whether a newer payload replaces older ones; else `join` makes one of all. */
  readonly replaces: boolean;
  readonly join: (payloads: readonly P[]) => P | undefined;
}

const newest = <P>(key: (payload: P) => string): Rule<P> => ({ key, replaces: true, join: (payloads) => payloads.at(-1) });

const rules: { readonly [N in EventName]: Rule<Events[N]> } = {
  'settings.changed': newest(() => ''),
  'programs.changed': newest(() => ''),
  'programs.pinned': newest(({ program }) => program),
  'machines.changed': newest(() => ''),
  'machines.discoveryChanged': newest(() => ''),
  'machines.labChanged': newest(({ guest }) => guest),
  'machines.probing': newest(() => ''),
  'machines.installing': newest(() => ''),
  'clusters.changed': newest(() => ''),
  'runs.changed': newest(({ run }) => run.id),
  'runs.removed': newest(({ run }) => run),
  'runs.samples': { key: ({ run }) => run, replaces: false, join: joinSamples },
  'runs.logged': { key: ({ run }) => run, replaces: false, join: joinLines },
};

/**
 * Events on their way to one window. While they wait they become fewer, not less: of what changes only the newest is kept, samples
 * and lines are joined.
 */
export class Outbox {
  readonly #waiting = new Map<string, { readonly name: EventName; payloads: Events[EventName][] }>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  put<N extends EventName>(name: N, payload: Events[N]): void {
    const rule: Rule<Events[N]> = rules[name];
    const key = `${name} ${rule.key(payload)}`;
    const waiting = this.#waiting.get(key);
    if (!waiting) {
      this.#waiting.set(key, { name, payloads: [payload] });
    } else if (rule.replaces) {
      // Moved to the end: what is told of a run comes after the samples that led to it.
      this.#waiting.delete(key);
      this.#waiting.set(key, { name, payloads: [payload] });
    } else {
      waiting.payloads.push(payload);
    }
  }

  take(): readonly EventFrame[] {
    const frames = [...this.#waiting.values()].flatMap(({ name, payloads }) => {
      // The payloads of one entry all belong to its name, which TypeScript cannot follow through a union.
      const join = rules[name].join as (payloads: readonly Events[EventName][]) => Events[EventName] | undefined;
      const payload = join(payloads);
      return payload === undefined ? [] : [{ kind: 'event', name, payload } as EventFrame];
    });
    this.#waiting.clear();
    return frames;
  }
}

function joinSamples(payloads: readonly Events['runs.samples'][]): Events['runs.samples'] | undefined {
  const [first] = payloads;
  if (!first || payloads.length === 1) return first;
  const bySeries = new Map<string, SeriesColumns[]>();
  for (const part of payloads.flatMap(({ series }) => series)) {
    const key = JSON.stringify([part.client, part.name]);
    const parts = bySeries.get(key) ?? [];
    bySeries.set(key, parts);
    parts.push(part);
  }
  const series = [...bySeries.values()].flatMap((parts) => parts.slice(0, 1).map((part) => ({ ...part, ...joinColumns(parts) })));
  return { run: first.run, series };
}

function joinLines(payloads: readonly Events['runs.logged'][]): Events['runs.logged'] | undefined {
  const [first] = payloads;
  return first && { run: first.run, lines: payloads.flatMap(({ lines }) => lines) };
}
