import type { Page, WebSocketRoute } from 'playwright-core';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import type { CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';
import { errorFrame, FRAMES_PATH, type Frame } from '#proto/ipc/frames.ts';

/** What is answered instead of the core; may throw, as the core may. */
export type ScriptedCalls = {
  readonly [N in CallName]?: (argument: Calls[N]['argument']) => Calls[N]['result'] | Promise<Calls[N]['result']>;
};

export interface ScriptedCore {
  /** Makes all windows hear something. */
  emit<N extends EventName>(name: N, payload: Events[N]): void;
}

/**
 * Answers some calls of a page under `lanflow web` and leaves the others to its core: for states of a whole lab that one machine is
 * never in. In force from the next load of the page on; the core's own events about `silent` areas do not arrive.
 */
export async function scriptCore(page: Page, calls: ScriptedCalls, silent: readonly EventName[] = []): Promise<ScriptedCore> {
  const codec = createFrameCodec();
  const windows = new Set<WebSocketRoute>();
  const send = (window: WebSocketRoute, frame: Frame) => window.send(Buffer.from(codec.encode(frame)));

  await page.routeWebSocket(new RegExp(FRAMES_PATH), (window) => {
    windows.add(window);
    const core = window.connectToServer();
    window.onMessage(async (message) => {
      const frame = codec.decode(bytesOf(message));
      const answer = frame.kind === 'call' ? calls[frame.name as CallName] : undefined;
      if (frame.kind !== 'call' || !answer) return core.send(message);
      try {
        // The page's own types hold here: it is our window that calls.
        send(window, { kind: 'result', id: frame.id, value: await answer(frame.argument as never) });
      } catch (error) {
        send(window, errorFrame(frame.id, error));
      }
    });
    core.onMessage((message) => {
      const frame = codec.decode(bytesOf(message));
      if (frame.kind !== 'event' || !silent.includes(frame.name)) window.send(message);
    });
    window.onClose(() => windows.delete(window));
  });
  return {
    emit: (name, payload) => {
      for (const window of windows) send(window, { kind: 'event', name, payload } as Frame);
    },
  };
}

function bytesOf(message: string | Buffer): Uint8Array {
  return typeof message === 'string' ? new TextEncoder().encode(message) : message;
}
