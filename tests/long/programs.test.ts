import { beforeAll, describe, expect, it } from 'vitest';
import { python, withTensorFlow } from '../support/python.ts';
import { otherGenuineSamples, resultOf } from '../support/sample-result.ts';

describe.skipIf(python === undefined)('on genuine TensorFlow tasks', () => {
  beforeAll(() => {
    process.env['LANFLOW_PYTHON'] ??= python;
  });

  it.each(otherGenuineSamples)(withTensorFlow('$name comes to its right result'), async ({ name }) => {
    expect((await resultOf(name, { engine: 'tensorflow' })).problems).toEqual([]);
  });
});
