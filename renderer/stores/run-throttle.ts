/** Does it at once when it was not done for a while; else when the while is over, with the newest value. `pauseAfter`: milliseconds. */
export function throttled<T>(pauseAfter: (value: T) => number, act: (value: T) => void): (value: T) => void {
  let waiting: { value: T } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = (milliseconds: number) => {
    timer = setTimeout(() => {
      timer = undefined;
      if (!waiting) return;
      const { value } = waiting;
      waiting = undefined;
      rest(pauseAfter(value));
      act(value);
    }, milliseconds);
  };
  return (value) => {
    if (timer !== undefined) {
      waiting = { value };
      return;
    }
    rest(pauseAfter(value));
    act(value);
  };
}
