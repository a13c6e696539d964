import { describe, expect, it } from 'vitest';
import { StepGate } from '../../../../main/program-host/step-gate.ts';

/** Lets what is ready go on. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Numbers of the steps that have passed, as they pass. */
function steps(gate: StepGate, count: number, signal?: AbortSignal): number[] {
  const passed: number[] = [];
  for (let step = 0; step < count; step++)
    gate.enter(signal).then(
      () => passed.push(step),
      () => passed.push(-1),
    );
  return passed;
}

describe('a gate for steps', () => {
  it('lets steps pass while it is open', async () => {
    const passed = steps(new StepGate(), 3);
    await settle();
    expect(passed).toEqual([0, 1, 2]);
  });

  it('holds them while it is closed, lets one pass for each permit, and all when it opens', async () => {
    const gate = new StepGate();
    gate.close();
    const passed = steps(gate, 4);
    await settle();
    expect(passed).toEqual([]);
    gate.permitOne();
    await settle();
    expect(passed).toEqual([0]);
    gate.open();
    await settle();
    expect(passed).toEqual([0, 1, 2, 3]);
  });

  it('keeps a permit for the step that comes, but not beyond the next opening', async () => {
    const gate = new StepGate();
    gate.close();
    gate.permitOne();
    expect(await Promise.race([gate.enter().then(() => 'passed'), settle()])).toBe('passed');
    gate.permitOne();
    gate.open();
    gate.close();
    const passed = steps(gate, 1);
    await settle();
    expect(passed).toEqual([]);
  });

  it('gives no permit while it is open', async () => {
    const gate = new StepGate();
    gate.permitOne();
    gate.close();
    const passed = steps(gate, 1);
    await settle();
    expect(passed).toEqual([]);
  });

  it.each([0, 5000])('rejects what waits when it is aborted, with a pause of %i ms between steps', async (interval) => {
    const gate = new StepGate(interval);
    const stop = new AbortController();
    await gate.enter();
    gate.close();
    const waiting = gate.enter(undefined, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(gate.enter(stop.signal)).rejects.toThrow('stopped');
  });

  it('takes its time from one step to the next', async () => {
    const gate = new StepGate(30);
    const started = performance.now();
    for (let step = 0; step < 4; step++) await gate.enter();
    expect(performance.now() - started).toBeGreaterThan(85);
  });

  it('paces steps that come at once too', async () => {
    const gate = new StepGate(40);
    const passed = steps(gate, 10);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(passed.length).toBeGreaterThan(0);
    expect(passed.length).toBeLessThan(6);
  });
});
