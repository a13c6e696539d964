import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { StatefulKernelSpec } from '../engine/kernel.ts';
import { summary } from './control-summary.ts';

const assert: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'Assert',
  create({ attrs }) {
    const count = attrs.int('summarize');
    return (_, [condition, ...data]) => {
      const { data: flags, shape } = condition as Tensor<'bool'>;
      if (shape.length > 0) throw invalidArgument(`In[0] should be a scalar: ${shapeText(shape)}`);
      if (flags[0] === 1) return [];
      throw invalidArgument(`assertion failed: ${(data as readonly Tensor[]).map((tensor) => summary(tensor, count)).join(' ')}`);
    };
  },
};

/** Passes its first input on and writes the others to the log of the task, the first few times. */
const print: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'Print',
  create({ attrs }) {
    const message = attrs.text('message');
    const count = attrs.int('summarize');
    const times = attrs.int('first_n');
    let printed = 0;
    return (_, [passed, ...data]) => {
      if (times < 0 || printed++ < times) {
        process.stderr.write(`${message}${(data as readonly Tensor[]).map((tensor) => summary(tensor, count)).join('')}\n`);
      }
      return passed ? [passed] : [];
    };
  },
};

/** Where tf.print may write. Files are not among them: tasks have no business in the file system. */
const streams: Readonly<Record<string, () => NodeJS.WritableStream>> = {
  stdout: () => process.stdout,
  stderr: () => process.stderr,
  'log(info)': () => process.stderr,
  'log(warning)': () => process.stderr,
  'log(error)': () => process.stderr,
};

const printV2: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'PrintV2',
  create({ attrs, name }) {
    const wanted = attrs.text('output_stream');
    const stream = streams[wanted];
    if (!stream) {
      throw invalidArgument(`'${name}'\nUnknown output stream: ${wanted}, Valid streams are: ${Object.keys(streams).join(' ')}`);
    }
    const end = attrs.has('end') ? attrs.text('end') : '\n';
    return (_, [input]) => {
      const { data, shape } = input as Tensor<'string'>;
      if (shape.length > 0) throw invalidArgument(`Input is expected to be scalar, but got ${shapeText(shape)}`);
      stream().write(new TextDecoder().decode(data[0]) + end);
      return [];
    };
  },
};

export const assertKernels: readonly StatefulKernelSpec[] = [assert, print, printV2];
