import { deviceLabel } from '../../components/device.ts';
import type { App } from '../../stores/app.ts';
import type { GraphState } from './graph-state.svelte.ts';
import { pinKeys, withPins } from './pins.ts';

/** Pins nodes and scopes to a device, or frees them without one; what was before can be had back from the note that says so. */
export async function setPin(app: App, graph: GraphState, ids: readonly string[], device: string | undefined): Promise<void> {
  const [name = ''] = ids;
  const what = ids.length === 1 ? name : app.i18n.text('graph.selected', { count: ids.length });
  await setPinKeys(app, graph, { what, keys: pinKeys(graph.model, ids) }, device);
}

/** The same by the names of the pins themselves, which may be about nothing in the graph. */
export async function setPinKeys(
  { toasts, i18n: { text } }: App,
  { source }: GraphState,
  { what, keys }: { readonly what: string; readonly keys: readonly string[] },
  device: string | undefined,
): Promise<void> {
  const before = source.pins;
  await toasts.guard(async () => {
    await source.savePins(withPins(before, keys, device));
    toasts.say(
      device === undefined ? text('graph.unpinnedNote', { what }) : text('graph.pinnedNote', { what, device: deviceLabel(device) }),
      {
        title: text('graph.undo'),
        run: () => toasts.guard(() => source.savePins(before)),
      },
    );
  });
}
