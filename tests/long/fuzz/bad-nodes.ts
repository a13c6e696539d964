import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { type BadGraphs, I, int, node, scalar, shape, T, texts, type, types } from './graph-parts.ts';

const neg = (...input: string[]) => node('out', 'Neg', input, { T });
const negWith = (attr: Parameters<typeof node>[3]) => [node('out', 'Neg', ['a'], attr), scalar('a')];

/** Wrong edges, ops and attrs. Genuine TensorFlow refuses all of these, or ends (a giant number of outputs). */
export const badNodes: readonly BadGraphs[] = [
  {
    codes: ['INVALID_ARGUMENT'],
    graphs: {
      'two nodes of one name': [scalar('out'), scalar('out')],
      'a node without a name': [scalar(''), scalar('out')],
      'a name with a space': [scalar('a b'), scalar('out')],
      'a cycle of two': [neg('b'), node('b', 'Neg', ['out'], { T })],
      'a node that is its own input': [neg('out')],
      'a cycle of control edges': [neg('a', '^b'), scalar('a'), node('b', 'NoOp', ['^out'])],
      'an input that is not there': [neg('a')],
      'a control input that is not there': [neg('a', '^b'), scalar('a')],
      'an output that is not there': [neg('a:1'), scalar('a')],
      'an output with a giant number': [neg('a:4294967297'), scalar('a')],
      'an output with a negative number': [neg('a:-1'), scalar('a')],
      'data after control': [node('out', 'AddV2', ['a', '^a', 'a'], { T }), scalar('a')],
      'too few inputs': [node('out', 'AddV2', ['a'], { T }), scalar('a')],
      'too many inputs': [neg('a', 'a'), scalar('a')],
      'an input of another type': negWith({ T: I }),
      'a value where a reference must be': [node('out', 'Assign', ['a', 'a'], { T }), scalar('a')],
      'an attr that is missing': negWith({}),
      'an attr of another kind': negWith({ T: int(1n) }),
      'an attr without a value': negWith({ T: {} }),
      'a type that the op does not take': negWith({ T: type(DataType.DT_STRING) }),
      'a type that does not exist': negWith({ T: type(999 as DataType) }),
      'a reference type': negWith({ T: type(DataType.DT_FLOAT_REF) }),
      'a placeholder outside of functions': negWith({ T: { value: { case: 'placeholder', value: 'T' } } }),
      'a negative number of inputs': [node('out', 'AddN', ['a'], { T, N: int(-1n) }), scalar('a')],
      'a giant number of inputs': [node('out', 'AddN', ['a'], { T, N: int(2n ** 40n) }), scalar('a')],
      'a giant number of outputs': [node('out', 'Unpack', ['a'], { T, num: int(2n ** 31n - 1n), axis: int(0n) }), scalar('a')],
      'more outputs than any number': [node('out', 'Unpack', ['a'], { T, num: int(2n ** 62n), axis: int(0n) }), scalar('a')],
      'a giant list of types': [node('out', 'IdentityN', ['a'], { T: types(100_000) }), scalar('a')],
      'a variable with a negative dimension': [node('out', 'VariableV2', [], { dtype: T, shape: shape(-5n) })],
      'a variable with an unknown dimension': [node('out', 'VariableV2', [], { dtype: T, shape: shape(-1n) })],
      'a device that is no device': [{ ...scalar('out'), device: '/job:l/what:0' }],
      'a device that is not there': [{ ...scalar('out'), device: '/job:l/task:17' }],
    },
  },
  {
    codes: ['NOT_FOUND'],
    graphs: { 'an op that nobody knows': [node('out', 'Frobnicate')], 'no op at all': [node('out', '')] },
  },
  {
    // Genuine TensorFlow lets these pass.
    codes: ['INVALID_ARGUMENT', 'OK'],
    graphs: {
      'a node colocated with nobody': [scalar('out', { _class: texts('loc:@nobody') })],
      'a queue with a negative capacity': [
        node('q', 'FIFOQueueV2', [], { component_types: types(1), capacity: int(-7n) }),
        node('out', 'QueueSizeV2', ['q']),
      ],
    },
  },
];
