import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { type BadGraphs, constant, dims, floats, I, int, ints, type NodeInit, node, scalar, T, type } from './graph-parts.ts';

const { DT_DOUBLE, DT_FLOAT, DT_INT32, DT_INT64, DT_STRING } = DataType;
const HUGE = 2 ** 30;

const fill = (...sizes: number[]) => [ints('d', sizes), scalar('a'), node('out', 'Fill', ['d', 'a'], { T, index_type: I })];
const reshape = (...sizes: number[]) => [ints('a', [1, 2]), ints('d', sizes), node('out', 'Reshape', ['a', 'd'], { T: I, Tshape: I })];
const double = (name: string, value: number) => constant(name, DT_DOUBLE, { tensorShape: {}, doubleVal: [value] });
const text = (name: string) => constant(name, DT_STRING, { tensorShape: {}, stringVal: [new Uint8Array(1)] });
const int32 = (name: string, value: number) => constant(name, DT_INT32, { tensorShape: {}, intVal: [value] });

/** Wrong constants, and shapes that are wrong or larger than any memory. The codes are genuine TensorFlow's. */
export const badValues: readonly BadGraphs[] = [
  {
    codes: ['INVALID_ARGUMENT'],
    graphs: {
      'content that is too short': [constant('out', DT_FLOAT, { tensorShape: dims(2n), tensorContent: new Uint8Array(4) })],
      'content that is too long': [constant('out', DT_FLOAT, { tensorShape: dims(2n), tensorContent: new Uint8Array(12) })],
      'content that is no strings': [constant('out', DT_STRING, { tensorShape: dims(2n), tensorContent: Uint8Array.of(200, 200) })],
      'a constant of negative size': [floats('out', -2n)],
      'a constant of another type than declared': [scalar('out', { dtype: I })],
      'Fill of negative size': fill(-1),
      'Reshape to two unknown dimensions': reshape(-1, -1),
      'Reshape to a negative dimension': reshape(-2, 1),
      'Transpose by no permutation': [ints('a', [1, 2]), ints('d', [5]), node('out', 'Transpose', ['a', 'd'], { T: I, Tperm: I })],
      'Gather of an index outside': [
        ints('a', [1, 2]),
        ints('d', [2]),
        int32('axis', 0),
        node('out', 'GatherV2', ['a', 'd', 'axis'], { Tparams: I, Tindices: I, Taxis: I, batch_dims: int(0n) }),
      ],
      'MatMul of sizes that do not fit': [floats('a', 2n, 3n), node('out', 'MatMul', ['a', 'a'], { T })],
    },
  },
  {
    // Genuine TensorFlow takes the constant for a scalar.
    codes: ['INVALID_ARGUMENT', 'OK'],
    graphs: { 'a constant of unknown rank': [constant('out', DT_FLOAT, { tensorShape: { unknownRank: true }, floatVal: [1] })] },
  },
  {
    codes: ['RESOURCE_EXHAUSTED', 'INVALID_ARGUMENT'],
    graphs: {
      'a constant larger than any memory': [floats('out', 2n ** 40n)],
      'a constant whose size overflows': [floats('out', 2n ** 62n, 2n ** 62n)],
      'a constant of a trillion strings': [constant('out', DT_STRING, { tensorShape: dims(2n ** 40n), stringVal: [new Uint8Array(1)] })],
      'Fill of giant size': fill(HUGE, HUGE),
      'Fill whose size overflows': fill(HUGE, HUGE, HUGE),
      'Fill with a trillion strings': [
        ints('d', [HUGE, 1000]),
        text('s'),
        node('out', 'Fill', ['d', 's'], { T: type(DT_STRING), index_type: I }),
      ],
      'Fill with as many strings as fill the heap': [
        ints('d', [2 ** 26]),
        text('s'),
        node('out', 'Fill', ['d', 's'], { T: type(DT_STRING), index_type: I }),
      ],
      'BroadcastTo of giant size': [ints('d', [HUGE, HUGE]), scalar('a'), node('out', 'BroadcastTo', ['a', 'd'], { T, Tidx: I })],
      'Tile of giant size': [floats('a', 1000n, 1000n), ints('d', [HUGE, HUGE]), node('out', 'Tile', ['a', 'd'], { T, Tmultiples: I })],
      'Pad of giant size': [
        floats('a', 1n),
        constant('p', DT_INT64, { tensorShape: dims(1n, 2n), int64Val: [2n ** 40n, 2n ** 40n] }),
        node('out', 'Pad', ['a', 'p'], { T, Tpaddings: type(DT_INT64) }),
      ],
      'Range of giant size': [
        double('from', 0),
        double('to', 1e18),
        double('by', 1),
        node('out', 'Range', ['from', 'to', 'by'], { Tidx: type(DT_DOUBLE) }),
      ],
      'RandomUniform of giant size': [ints('d', [HUGE, HUGE]), node('out', 'RandomUniform', ['d'], { T: I, dtype: T })],
      'OneHot of giant size': [
        ints('i', new Array<number>(1000).fill(1)),
        int32('depth', HUGE),
        scalar('on'),
        scalar('off'),
        node('out', 'OneHot', ['i', 'depth', 'on', 'off'], { T, TI: I, axis: int(-1n) }),
      ],
      'MatMul of giant size': outer('MatMul'),
      'AddV2 that broadcasts to a giant size': outer('AddV2'),
    },
  },
];

/** An op on a column and a row of a million each. */
function outer(op: string): NodeInit[] {
  return [floats('a', 1_000_000n, 1n), floats('b', 1n, 1_000_000n), node('out', op, ['a', 'b'], { T })];
}
