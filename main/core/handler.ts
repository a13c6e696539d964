import type { CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';

/** One handler for every call; arguments have been checked for their shape. What a handler throws becomes the call's error. */
export type Handlers = {
  readonly [N in CallName]: (argument: Calls[N]['argument']) => Calls[N]['result'] | Promise<Calls[N]['result']>;
};

/** The handlers of one area: all calls whose names begin with it. */
export type AreaHandlers<A extends string> = Pick<Handlers, Extract<CallName, `${A}.${string}`>>;

/** Tells all windows. */
export type Emit = <N extends EventName>(name: N, payload: Events[N]) => void;
