import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { Code } from '#proto/wire/status.ts';
import { toTensorProto } from '#proto/wire/tensor-codec.ts';
import { constantKernels } from '../../../../task-server/kernels/constant.ts';
import { float, KernelBench } from '../../../support/kernel-node.ts';

it('a Const whose value has another type than it declares is refused', () => {
  const value = create(AttrValueSchema, { value: { case: 'tensor', value: toTensorProto(float(1)) } });
  const node = () => new KernelBench(constantKernels).node('Const', { dtype: { type: 'int32' }, value });
  expect(node).toThrow(
    expect.objectContaining({ code: Code.INVALID_ARGUMENT, message: 'Type mismatch between value (float) and dtype (int32)' }),
  );
});
