import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { bytesOf, type Tensor } from '#proto/wire/tensor.ts';
import { randomKernels } from '../../../../task-server/kernels/random.ts';
import { randomFillKernels } from '../../../../task-server/kernels/random-fill.ts';
import { type RecordedTensor, type Tolerance, tensorOf } from '../../../support/kernel-cases.ts';
import { type AttrInit, int32s, KernelBench } from '../../../support/kernel-node.ts';
import { difference } from '../../../support/tensor-difference.ts';

interface RecordedNode {
  readonly op: string;
  readonly attrs: Readonly<Record<string, JsonObject>>;
  readonly inputs: readonly RecordedTensor[];
  readonly runs: readonly (RecordedTensor & { readonly sha256?: string })[];
  readonly error?: { readonly code: number; readonly message: string };
}

const fixture = new URL('../../../fixtures/state/random.json', import.meta.url);
const { nodes } = JSON.parse(readFileSync(fixture, 'utf8')) as { nodes: readonly RecordedNode[] };

/** Logarithms and sines may round another way. */
const tolerances: Readonly<Record<string, Tolerance>> = {
  RandomStandardNormal: { ulps: 2, absolute: 1e-7 },
  TruncatedNormal: { ulps: 2, absolute: 1e-7 },
};

function bench(): KernelBench {
  return new KernelBench([...randomKernels, ...randomFillKernels]);
}

function attrsOf({ attrs }: RecordedNode): Record<string, AttrInit> {
  return Object.fromEntries(Object.entries(attrs).map(([name, json]) => [name, fromJson(AttrValueSchema, json)]));
}

function differs(
  actual: Tensor,
  { sha256, ...recorded }: RecordedNode['runs'][number],
  tolerance: Tolerance | undefined,
): string | undefined {
  if (sha256 === undefined) return difference(actual, tensorOf(recorded), tolerance);
  const { shape, dtype } = recorded;
  expect(actual).toMatchObject({ shape, dtype });
  const last = { dtype, shape: [recorded.values.length], data: (actual.data as Float32Array).slice(-recorded.values.length) } as Tensor;
  const tail = difference(last, tensorOf({ ...recorded, shape: [recorded.values.length] }), tolerance);
  if (tail !== undefined || tolerance) return tail;
  return createHash('sha256').update(bytesOf(actual)).digest('hex') === sha256 ? undefined : 'digest';
}

describe('random streams equal TensorFlow’s over several runs of a session', () => {
  for (const node of nodes) {
    const title = `${node.op} ${node.inputs.map(({ dtype, shape, values }) => `${dtype}[${shape}] ${values.slice(0, 3)}`).join(' ')} ${JSON.stringify(node.attrs)}`;
    it(title, async () => {
      const kernel = bench().node(node.op, attrsOf(node));
      const inputs = node.inputs.map(tensorOf);
      for (const [index, expected] of node.runs.entries()) {
        expect(`run ${index}: ${differs(await kernel.tensor(...inputs), expected, tolerances[node.op])}`).toBe(`run ${index}: undefined`);
      }
      if (node.error) await expect(kernel.run(...inputs)).rejects.toMatchObject(node.error);
    });
  }
});

describe('without seeds', () => {
  it('two nodes have different streams', async () => {
    const attrs = { dtype: { type: 'float' }, seed: 0, seed2: 0 } as const;
    const a = await bench().node('RandomUniform', attrs).tensor(int32s(4));
    const b = await bench().node('RandomUniform', attrs).tensor(int32s(4));
    expect([...a.data]).not.toEqual([...b.data]);
  });
});
