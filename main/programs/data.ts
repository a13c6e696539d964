/** Points of a line, in two columns. */
export interface Points {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** What a regression on the points of `linePoints` must find. */
export const LINE = { weight: 0.1, bias: 0.3 } as const;

/** Points on the line y = 0.1 x + 0.3 with x between 0 and 1, scattered but the same in every run. */
export function linePoints(count: number): Points {
  let state = 1;
  const x = Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  });
  return { x, y: x.map((each) => each * LINE.weight + LINE.bias) };
}

/** The part of the points that one of several replicas trains on. */
export function shardOf({ x, y }: Points, index: number, count: number): Points {
  const [from, to] = [(x.length / count) * index, (x.length / count) * (index + 1)];
  return { x: x.subarray(from, to), y: y.subarray(from, to) };
}
