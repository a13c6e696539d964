import { describe, expect, it } from 'vitest';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { summarizeOp } from '#proto/ops/op-summary.ts';
import { graphProducer, opDef, opNames } from '#proto/ops/registry.ts';

describe('op registry', () => {
  it('knows the ops of the protocol besides the public ones', () => {
    const names = ['MatMul', 'VariableV2', 'Send', 'Recv', '_Send', '_Recv', '_HostSend', '_HostRecv', '_Arg', '_Retval'];
    expect(names.filter((name) => !opDef(name))).toEqual([]);
    expect(opDef('NoSuchOp')).toBeUndefined();
    expect(graphProducer).toBeGreaterThan(2000);
  });

  it('lists every name once, sorted', () => {
    const names = opNames();
    expect(names).toEqual([...new Set(names)].sort());
    expect(names.length).toBeGreaterThan(1500);
  });

  it('can parse every op, and gives the same object again', () => {
    for (const name of opNames()) expect(opDef(name)).toMatchObject({ name });
    expect(opDef('Add')).toBe(opDef('Add'));
  });

  it('names only attrs that the op has', () => {
    for (const name of opNames()) {
      const def = opDef(name);
      const attrs = def?.attrs.map((attr) => attr.name);
      const used = [...(def?.inputs ?? []), ...(def?.outputs ?? [])].flatMap((arg) => [arg.typeAttr, arg.numberAttr, arg.typeListAttr]);
      expect(attrs, name).toEqual(expect.arrayContaining(used.filter((attr) => attr !== undefined)));
    }
  });

  it('reads flags and reference arguments', () => {
    expect(opDef('AddN')).toMatchObject({ isCommutative: true, isAggregate: true });
    expect(opDef('_Send')).toMatchObject({ isStateful: true, outputs: [] });
    expect(opDef('Assign')).toMatchObject({ allowsUninitializedInput: true, inputs: [{ name: 'ref', isRef: true }, { name: 'value' }] });
  });

  it('gives defaults as attr values', () => {
    const defaults = Object.fromEntries((opDef('ImageSummary')?.attrs ?? []).map((attr) => [attr.name, attr.default?.value]));
    expect(defaults['max_images']).toEqual({ case: 'i', value: 3n });
    expect(defaults['T']).toEqual({ case: 'type', value: DataType.DT_FLOAT });
    expect(defaults['bad_color']).toMatchObject({ case: 'tensor', value: { intVal: [255, 0, 0, 255] } });
  });
});

describe('summarizeOp', () => {
  const measured = [
    'Op<name=AddN; signature=inputs:N*T -> sum:T; attr=N:int,min=1; attr=T:type,allowed=[DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_COMPLEX64, DT_INT64, DT_QINT8, DT_QUINT8, DT_QINT32, DT_BFLOAT16, DT_QINT16, DT_QUINT16, DT_UINT16, DT_COMPLEX128, DT_HALF, DT_UINT32, DT_UINT64, DT_VARIANT]; is_commutative=true; is_aggregate=true>',
    'Op<name=IdentityN; signature=input: -> output:; attr=T:list(type),min=1>',
    'Op<name=Barrier; signature= -> handle:Ref(string); attr=component_types:list(type),min=1; attr=shapes:list(shape),default=[],min=0; attr=capacity:int,default=-1; attr=container:string,default=""; attr=shared_name:string,default=""; is_stateful=true>',
    'Op<name=ImageSummary; signature=tag:string, tensor:T -> summary:string; attr=max_images:int,default=3,min=1; attr=T:type,default=DT_FLOAT,allowed=[DT_UINT8, DT_FLOAT, DT_HALF, DT_DOUBLE]; attr=bad_color:tensor,default=Tensor<type: uint8 shape: [4] values: 255 0 0...>>',
    'Op<name=QuantizedInstanceNorm; signature=x:T, x_min:float, x_max:float -> y:T, y_min:float, y_max:float; attr=T:type,allowed=[DT_QINT8, DT_QUINT8, DT_QINT32, DT_QINT16, DT_QUINT16]; attr=output_range_given:bool,default=false; attr=given_y_min:float,default=0; attr=given_y_max:float,default=0; attr=variance_epsilon:float,default=1e-05; attr=min_separation:float,default=0.001>',
  ];

  it.each(measured)('writes what TensorFlow 2.21 writes: %s', (text) => {
    const def = opDef(text.slice('Op<name='.length, text.indexOf(';')));
    expect(def && summarizeOp(def)).toBe(text);
  });
});
