import { beforeAll, describe, expect, it } from 'vitest';
import { programs } from '../../../main/programs/index.ts';
import { python, withTensorFlow } from '../../support/python.ts';
import { genuineSamples, outcomeOf, resultOf } from '../../support/sample-result.ts';

const LIMIT_MS = 120_000;

describe('on bundled tasks', () => {
  it.each(programs)('$name comes to its right result', { timeout: LIMIT_MS }, async ({ name }) => {
    expect((await resultOf(name)).problems).toEqual([]);
  });

  it('what is not pinned is shared by all masters, as it goes to the first task', { timeout: LIMIT_MS }, async () => {
    expect(await outcomeOf('shared-variable')).toMatchObject({ final: [1, 1] });
    expect(await outcomeOf('separate-graphs')).toMatchObject({ seen: '1' });
  });

  it('what is not pinned goes to the own task of each master with placement "local"', { timeout: LIMIT_MS }, async () => {
    const local = { placement: 'local' } as const;
    expect(await outcomeOf('shared-variable', local)).toMatchObject({ final: [1, 0] });
    expect(await outcomeOf('separate-graphs', local)).toMatchObject({ seen: 'no value' });
    expect((await resultOf('location-trace', local)).problems).toEqual([]);
  });
});

describe.skipIf(python === undefined)('on genuine TensorFlow tasks', () => {
  beforeAll(() => {
    process.env['LANFLOW_PYTHON'] ??= python;
  });

  it('has one of each kind', () => expect(genuineSamples).toHaveLength(7));

  it.each(genuineSamples)(withTensorFlow('$name comes to its right result'), { timeout: LIMIT_MS }, async ({ name }) => {
    expect((await resultOf(name, { engine: 'tensorflow' })).problems).toEqual([]);
  });
});
