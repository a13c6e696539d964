/**
 * Exponential moving average, without the pull towards zero at its start: at weight 0 the values themselves, near 1 their mean
 * so far. A value that is not finite stays where it is and changes nothing around it.
 */
export function smooth(values: Float64Array, weight: number): Float64Array {
  const result = new Float64Array(values.length);
  let average = 0;
  let correction = 0;
  values.forEach((value, at) => {
    if (!Number.isFinite(value)) {
      result[at] = value;
      return;
    }
    average = average * weight + value * (1 - weight);
    correction = correction * weight + (1 - weight);
    result[at] = average / correction;
  });
  return result;
}
