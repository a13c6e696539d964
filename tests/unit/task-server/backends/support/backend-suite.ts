import { beforeAll, describe, expect, it } from 'vitest';
import { type BackendSpec, createBackend } from '../../../../../task-server/backends/accelerated.ts';
import { attrsOf, type KernelCase, kernelFamilies, type Tolerance, tensorOf, titleOf } from '../../../../support/kernel-cases.ts';
import { difference } from '../../../../support/tensor-difference.ts';
import { call } from './test-kernels.ts';

/** Declares a test for each op of a backend: it answers the recorded calls that it accepts as genuine TensorFlow did. */
export function backendSuite<Library>(spec: BackendSpec<Library>, tolerance: Readonly<Record<string, Tolerance>> = {}): void {
  const backend = createBackend(spec, { cores: 2 });
  const families = kernelFamilies();

  const failure = async (each: KernelCase, allowed: Tolerance): Promise<string[]> => {
    const outputs = await backend.compute(callOf(each));
    const expected = (each.outputs ?? []).map(tensorOf);
    const differences = expected.map((tensor, i) => {
      const output = outputs[i];
      return output ? difference(output, tensor, allowed) : 'nothing';
    });
    return differences.filter((text) => text !== undefined).map((text) => `${titleOf(each)}: ${text}`);
  };

  describe(`${backend.name} agrees with TensorFlow`, () => {
    beforeAll(() => backend.usesGpu());

    for (const op of backend.ops) {
      it(op, async () => {
        const failures: string[] = [];
        let accepted = 0;
        for (const family of families) {
          for (const each of family.cases.filter((candidate) => candidate.op === op && backend.accepts(callOf(candidate)))) {
            accepted += 1;
            if (each.error) failures.push(`${titleOf(each)}: accepted, but it is an error`);
            else failures.push(...(await failure(each, tolerance[op] ?? family.tolerance[op] ?? {})));
          }
        }
        expect(failures).toEqual([]);
        expect(accepted).toBeGreaterThan(0);
      });
    }
  });
}

function callOf(each: KernelCase) {
  return call(each.op, each.inputs.map(tensorOf), attrsOf(each));
}
