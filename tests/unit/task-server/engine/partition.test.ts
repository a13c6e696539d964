import { describe, expect, it } from 'vitest';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import { dtypeFromNumber } from '#proto/wire/dtype.ts';
import type { Graph } from '../../../../task-server/engine/graph.ts';
import { partitionGraph } from '../../../../task-server/engine/partition.ts';
import { graphOf, node } from './engine-kit.ts';

const A = '/job:w/replica:0/task:0/device:CPU:0';
const B = '/job:w/replica:0/task:1/device:CPU:0';

/** One line per node: `name = op(inputs) @A`, for transfers the tensor name, too. */
function linesOf(def: GraphDef | undefined): string[] {
  return (def?.node ?? []).map((each) => {
    const tensor = textAttr(each, 'tensor_name');
    return `${each.name} = ${each.op}(${each.input.join(', ')})${tensor ? ` ${tensor}` : ''} @${each.device === A ? 'A' : 'B'}`;
  });
}

function textAttr(def: NodeDef, name: string): string {
  const value = def.attr[name]?.value;
  return value?.case === 's' ? new TextDecoder().decode(value.value) : '';
}

function split(graph: Graph) {
  let count = 0;
  return partitionGraph(graph, {
    locate: ({ requestedDevice }) => requestedDevice,
    newName: (prefix) => `${prefix}_S${count++}`,
    incarnation: (device) => (device === A ? 0xffff_ffff_ffff_fffen : 2n),
  });
}

const placeholder = (name: string, device: string) => node(name, 'Placeholder', { types: { dtype: 'float' }, device });
const add = (name: string, inputs: string[], device: string) => node(name, 'AddV2', { inputs, device });
const variable = (name: string, device: string) =>
  node(name, 'VariableV2', { types: { dtype: 'float' }, attrs: { shape: { value: { case: 'shape', value: {} } } }, device });

describe('partitionGraph', () => {
  it('keeps a graph of one location as it is', () => {
    const parts = split(graphOf(placeholder('x', A), add('y', ['x', 'x'], A)));
    expect([...parts.keys()]).toEqual([A]);
    expect(linesOf(parts.get(A))).toEqual(['x = Placeholder() @A', 'y = AddV2(x, x) @A']);
  });

  it('sends a value once to a location, whoever consumes it there', () => {
    const parts = split(graphOf(placeholder('x', A), add('y', ['x', 'x'], B), add('z', ['x', 'y'], B)));
    expect(linesOf(parts.get(A))).toEqual(['x = Placeholder() @A', 'x_S0 = _Send(x) edge_0_x @A']);
    expect(linesOf(parts.get(B))).toEqual(['x_S1 = _Recv() edge_0_x @B', 'y = AddV2(x_S1, x_S1) @B', 'z = AddV2(x_S1, y) @B']);
  });

  it('gives both ends the same attrs, the incarnation as a signed number', () => {
    const parts = split(graphOf(placeholder('x', A), add('y', ['x', 'x'], B)));
    const send = parts.get(A)?.node.find(({ op }) => op === '_Send');
    const recv = parts.get(B)?.node.find(({ op }) => op === '_Recv');
    for (const end of [send, recv]) {
      expect(end && textAttr(end, 'send_device')).toBe(A);
      expect(end && textAttr(end, 'recv_device')).toBe(B);
      expect(end && textAttr(end, '_src')).toBe('x');
      expect(end && textAttr(end, '_dst')).toBe('y');
      expect(end?.attr['send_device_incarnation']?.value).toEqual({ case: 'i', value: -2n });
      expect(end?.attr['client_terminated']?.value).toEqual({ case: 'b', value: false });
    }
    expect(send?.attr['T']?.value.case).toBe('type');
    expect(recv?.attr['tensor_type']?.value.case).toBe('type');
  });

  it('carries a control edge by an empty constant, shared by all who wait at that location', () => {
    const nodes = [
      placeholder('x', A),
      node('n', 'NoOp', { inputs: ['^x'], types: {}, device: B }),
      node('m', 'NoOp', { inputs: ['^x'], types: {}, device: B }),
    ];
    const parts = split(graphOf(...nodes));
    expect(linesOf(parts.get(A))).toEqual(['x = Placeholder() @A', 'x/ctrl_S0 = Const(^x) @A', 'x_S1 = _Send(x/ctrl_S0) edge_0_x @A']);
    expect(linesOf(parts.get(B))).toEqual([
      'x_S2 = _Recv() edge_0_x @B',
      'x_S3 = Identity(x_S2) @B',
      'n = NoOp(^x_S3) @B',
      'm = NoOp(^x_S3) @B',
    ]);
  });

  it('reads a reference anew for each consumer, after its other inputs, as the base type', () => {
    const nodes = [variable('v', A), placeholder('x', B), add('a', ['v', 'x'], B), add('b', ['v', 'x'], B)];
    const parts = split(graphOf(...nodes));
    expect(linesOf(parts.get(A))).toEqual(['v = VariableV2() @A', 'v_S0 = _Send(v) edge_0_v @A', 'v_S2 = _Send(v) edge_1_v @A']);
    expect(linesOf(parts.get(B))).toEqual([
      'x = Placeholder() @B',
      'v_S1 = _Recv(^x) edge_0_v @B',
      'a = AddV2(v_S1, x) @B',
      'v_S3 = _Recv(^x) edge_1_v @B',
      'b = AddV2(v_S3, x) @B',
    ]);
    const type = parts.get(B)?.node.find(({ name }) => name === 'v_S1')?.attr['tensor_type']?.value;
    expect(type?.case === 'type' && dtypeFromNumber(type.value)).toBe('float');
  });

  it('names other outputs than the first on the sending side', () => {
    const axis = node('axis', 'Placeholder', { types: { dtype: 'int32' }, device: A });
    const halves = node('s', 'Split', { inputs: ['axis', 'x'], attrs: { num_split: { value: { case: 'i', value: 2n } } }, device: A });
    const parts = split(graphOf(placeholder('x', A), axis, halves, add('y', ['s:1', 's'], B)));
    expect(linesOf(parts.get(A)).slice(3)).toEqual(['s_S0 = _Send(s:1) edge_0_s @A', 's_S2 = _Send(s) edge_1_s @A']);
    expect(linesOf(parts.get(B)).at(-1)).toBe('y = AddV2(s_S1, s_S3) @B');
  });

  describe('with a loop', () => {
    const op = (name: string, type: string, inputs: string[], device: string) => {
      const frame = { frame_name: { value: { case: 's' as const, value: new TextEncoder().encode('f') } } };
      const count = { N: { value: { case: 'i' as const, value: 2n } } };
      return node(name, type, { inputs, device, attrs: { ...(type === 'Enter' ? frame : {}), ...(type === 'Merge' ? count : {}) } });
    };
    const loop = (bodyDevice: string) =>
      graphOf(
        placeholder('x', A),
        op('enter', 'Enter', ['x'], B),
        op('merge', 'Merge', ['enter', 'next'], B),
        op('body', 'Identity', ['merge'], bodyDevice),
        op('next', 'NextIteration', ['body'], B),
        op('exit', 'Exit', ['merge'], B),
        add('after', ['exit', 'exit'], A),
      );

    it('lets values enter and leave it', () => {
      const parts = split(loop(B));
      expect(linesOf(parts.get(A))).toContain('after = AddV2(exit_S3, exit_S3) @A');
    });

    it('refuses one that spans locations, instead of waiting for ever', () => {
      expect(() => split(loop(A))).toThrow(/^A loop that spans devices is not supported: the edge from 'merge' .* to 'body' /);
    });
  });

  it('leaves the graph that it was given alone', () => {
    const graph = graphOf(placeholder('x', A), add('y', ['x', 'x'], B));
    split(graph);
    expect(graph.node('y')?.proto.input).toEqual(['x', 'x']);
  });
});
