import { describe, expect, it } from 'vitest';
import type { ProbeProgress, ProbeResult } from '#proto/ipc/contract.ts';
import { MachineProbe } from '../../../../main/core/machine-probe.ts';
import type { ProbeOptions } from '../../../../main/machines/machines.ts';

describe('the search of the own subnets', () => {
  it('is one for all who want it, ends with what it has when it is cancelled, and can be begun anew', async () => {
    let begun = 0;
    const told: ProbeProgress[] = [];
    const search = ({ signal, onProgress }: ProbeOptions): Promise<ProbeResult> => {
      begun++;
      onProgress({ tried: 7, all: 50, found: 0 });
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ tried: 7, all: 50, found: [] })));
    };
    const probe = new MachineProbe({ machines: { probe: search }, onProgress: (progress) => told.push(progress) });
    const both = [probe.run(), probe.run()];
    probe.cancel();
    expect(await Promise.all(both)).toEqual([
      { tried: 7, all: 50, found: [] },
      { tried: 7, all: 50, found: [] },
    ]);
    const again = probe.run();
    probe.cancel();
    await again;
    expect([begun, told.length]).toEqual([2, 2]);
  });
});
