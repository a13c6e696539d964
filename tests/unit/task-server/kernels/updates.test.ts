import { readFileSync } from 'node:fs';
import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { Variable, VariableRef } from '../../../../task-server/engine/variable.ts';
import { scatterKernels } from '../../../../task-server/kernels/scatter.ts';
import { scatterUpdateKernels } from '../../../../task-server/kernels/scatter-update.ts';
import { trainingKernels } from '../../../../task-server/kernels/training.ts';
import { trainingUpdateKernels } from '../../../../task-server/kernels/training-update.ts';
import { refVariableKernels } from '../../../../task-server/kernels/variable-ref.ts';
import { resourceVariableKernels } from '../../../../task-server/kernels/variable-resource.ts';
import { dtypeOf, type RecordedTensor, type Tolerance, tensorOf } from '../../../support/kernel-cases.ts';
import { type AttrInit, floats, int32s, KernelBench } from '../../../support/kernel-node.ts';
import { difference } from '../../../support/tensor-difference.ts';

interface RecordedCall {
  readonly op: string;
  readonly attrs: Readonly<Record<string, JsonObject>>;
  readonly variables: readonly RecordedTensor[];
  readonly inputs: readonly RecordedTensor[];
  readonly after?: readonly RecordedTensor[];
  readonly error?: { readonly code: number; readonly message: string };
}

const fixture = new URL('../../../fixtures/state/updates.json', import.meta.url);
const { calls } = JSON.parse(readFileSync(fixture, 'utf8')) as { calls: readonly RecordedCall[] };

const specs = [
  ...scatterKernels,
  ...scatterUpdateKernels,
  ...trainingKernels,
  ...trainingUpdateKernels,
  ...refVariableKernels,
  ...resourceVariableKernels,
];

/** TensorFlow's reciprocal roots round in another way in the middle of an array than at its end. */
const rootRounding: Readonly<Record<string, Tolerance>> = {
  float: { absolute: 1.2e-7 },
  double: { ulps: 1 },
  half: { absolute: 1e-3 },
  bfloat16: { absolute: 8e-3 },
};
const rooted = ['ApplyAdagrad', 'ApplyAdadelta'];

function attrsOf({ attrs }: RecordedCall): Record<string, AttrInit> {
  const values = Object.entries(attrs).map(([name, json]) => [name, fromJson(AttrValueSchema, json)] as const);
  const type = attrs['T'] ? fromJson(AttrValueSchema, attrs['T']) : undefined;
  return { ...Object.fromEntries(values), ...(type ? { dtype: type } : {}) };
}

function check(actual: readonly (Tensor | undefined)[], { op, after = [] }: RecordedCall): void {
  const differences = after.map((expected, index) => {
    const tolerance = rooted.includes(op) ? rootRounding[expected.dtype] : undefined;
    return difference(actual[index] as Tensor, tensorOf(expected), tolerance);
  });
  expect(differences).toEqual(after.map(() => undefined));
}

async function runOnReferences(call: RecordedCall): Promise<(Tensor | undefined)[]> {
  const refs = call.variables.map((recorded) => {
    const variable = new Variable(recorded.dtype);
    variable.value = tensorOf(recorded);
    return new VariableRef(variable, 'v');
  });
  const node = new KernelBench(specs).node(call.op, attrsOf(call));
  expect(await node.run(...refs, ...call.inputs.map(tensorOf))).toEqual([refs[0]]);
  return refs.map(({ variable }) => variable.value);
}

async function runOnResources(call: RecordedCall): Promise<(Tensor | undefined)[]> {
  const bench = new KernelBench(specs, { later: true });
  const handles: Tensor[] = [];
  for (const [index, recorded] of call.variables.entries()) {
    const handle = await bench.node('VarHandleOp', { container: '', shared_name: `v${index}` }).tensor();
    await bench.node('AssignVariableOp').run(handle, tensorOf(recorded));
    handles.push(handle);
  }
  expect(await bench.node(`Resource${call.op}`, attrsOf(call)).run(...handles, ...call.inputs.map(tensorOf))).toEqual([]);
  const read = bench.node('ReadVariableOp', { dtype: { type: dtypeOf({ ...call, inputs: call.variables }) } });
  return Promise.all(handles.map((handle) => read.tensor(handle)));
}

describe('updates give what TensorFlow gives', () => {
  for (const [index, call] of calls.entries()) {
    const dtypes = call.variables.map(({ dtype, shape }) => `${dtype}[${shape}]`).join(' ');
    it(`${index} ${call.op} ${dtypes} ${JSON.stringify(call.attrs)}`, async () => {
      if (call.error) {
        await expect(runOnReferences(call)).rejects.toMatchObject(call.error);
        await expect(runOnResources(call)).rejects.toMatchObject(call.error);
      } else {
        check(await runOnReferences(call), call);
        check(await runOnResources(call), call);
      }
    });
  }
});

describe('scatter checks shapes', () => {
  const updates = floats(7, 8);
  const attrs = { T: { type: 'float' }, dtype: { type: 'float' }, container: '', shared_name: 'v' } as const;

  it('on references', async () => {
    const variable = new Variable('float');
    variable.value = floats(1, 2, 3);
    await expect(new KernelBench(specs).node('ScatterAdd', attrs).run(new VariableRef(variable, 'v'), int32s(0), updates)).rejects.toThrow(
      'Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape [2], indices.shape [1], params.shape [3]',
    );
    expect(variable.value).toEqual(floats(1, 2, 3));
  });

  it('on resources', async () => {
    const bench = new KernelBench(specs);
    const handle = await bench.node('VarHandleOp', attrs).tensor();
    await bench.node('AssignVariableOp', attrs).run(handle, floats(1, 2, 3));
    await expect(bench.node('ResourceScatterUpdate', attrs).run(handle, int32s(0), updates)).rejects.toThrow(
      'The shape of indices ([1]) must be a prefix of the shape of updates ([2])',
    );
  });
});
