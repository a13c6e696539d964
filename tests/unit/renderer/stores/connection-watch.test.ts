import { expect, it } from 'vitest';
import type { ConnectionState, Core } from '../../../../renderer/api/core.ts';
import { watchRestarts } from '../../../../renderer/stores/connection-watch.ts';

function watch() {
  const restarts: string[] = [];
  let tell = (_state: ConnectionState) => {};
  const core: Pick<Core, 'onState'> = {
    onState: (listener) => {
      tell = listener;
      return () => {};
    },
  };
  watchRestarts(core, ({ reason }) => restarts.push(reason));
  return { restarts, tell: (state: ConnectionState) => tell(state) };
}
const lost = { kind: 'lost', reason: 'exit code 1', restores: true, coreEnded: true } as const;

it('tells once that the core has ended and is there again', () => {
  const { restarts, tell } = watch();
  tell({ kind: 'connected' });
  tell(lost);
  expect(restarts).toEqual([]);
  tell({ kind: 'connected' });
  tell({ kind: 'connected' });
  expect(restarts).toEqual(['exit code 1']);
});

it('tells nothing when only the connection was lost, or when the user has started the core', () => {
  const { restarts, tell } = watch();
  for (const state of [
    { ...lost, coreEnded: false },
    { ...lost, restores: false },
  ]) {
    tell(state);
    tell({ kind: 'connected' });
  }
  expect(restarts).toEqual([]);
});
