import { createSubscriber } from 'svelte/reactivity';

const SECOND = 1000;

/** The time now, in milliseconds; what shows it is shown again every second, as long as somebody looks. */
export function createClock(): () => number {
  const subscribe = createSubscriber((update) => {
    const timer = setInterval(update, SECOND);
    return () => clearInterval(timer);
  });
  return () => {
    subscribe();
    return Date.now();
  };
}
