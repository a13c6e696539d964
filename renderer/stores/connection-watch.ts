import type { Core } from '../api/core.ts';

/** What happened to a core that is there again. */
export interface CoreRestart {
  /** In the words of the shell; a browser knows none. */
  readonly reason: string;
}

/** Tells when the core had ended by itself and another has taken its place. One that the user starts again is no news. */
export function watchRestarts(core: Pick<Core, 'onState'>, onRestarted: (restart: CoreRestart) => void): void {
  let ended: CoreRestart | undefined;
  core.onState((state) => {
    if (state.kind === 'lost') ended = state.restores && state.coreEnded ? { reason: state.reason } : undefined;
    if (state.kind !== 'connected' || !ended) return;
    onRestarted(ended);
    ended = undefined;
  });
}
