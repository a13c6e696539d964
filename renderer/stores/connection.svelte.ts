import type { ConnectionState, Core } from '../api/core.ts';

/** Whether the core can be reached now. */
export class ConnectionStore {
  state = $state.raw<ConnectionState>({ kind: 'connecting' });

  constructor(core: Core) {
    core.onState((state) => {
      this.state = state;
    });
  }
}
