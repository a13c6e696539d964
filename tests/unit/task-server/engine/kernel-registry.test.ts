import { describe, expect, it } from 'vitest';
import type { DType } from '#proto/wire/dtype.ts';
import { Code } from '#proto/wire/status.ts';
import type { KernelSpec, StatefulKernelSpec } from '../../../../task-server/engine/kernel.ts';
import { KernelCache } from '../../../../task-server/engine/kernel-cache.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { graphOf, node, source, testDevice } from './engine-kit.ts';

const spec = (rest: Partial<KernelSpec>): KernelSpec =>
  ({ kind: 'pure', op: 'Neg', compute: (inputs) => [...inputs], ...rest }) as KernelSpec;

function attrsOf(dtype: DType) {
  const graph = graphOf(source('x'), node('nn', 'Cast', { inputs: ['x'], types: { SrcT: 'float', DstT: dtype } }));
  const found = graph.node('nn');
  if (!found) throw new Error('no node');
  return found.attrs;
}

describe('KernelRegistry', () => {
  const floats = spec({ op: 'Cast', types: { DstT: ['float', 'half'] }, devices: ['CPU'] });
  const ints = spec({ op: 'Cast', types: { DstT: ['int32'] } });
  const registry = new KernelRegistry([floats, ints]);

  it('chooses by device type and by the types of the node', () => {
    expect(registry.find('Cast', 'CPU', attrsOf('half'))).toBe(floats);
    expect(registry.find('Cast', 'GPU', attrsOf('int32'))).toBe(ints);
    expect(registry.has('Cast', 'GPU')).toBe(true);
    expect(registry.has('Cast', 'GPU', attrsOf('half'))).toBe(false);
    expect(registry.has('Neg', 'CPU')).toBe(false);
  });

  it('says what is registered when the types do not fit', () => {
    const text = [
      "No registered 'Cast' OpKernel for 'CPU' devices compatible with node {{node nn}}",
      "\t (OpKernel was found, but attributes didn't match) Requested Attributes: DstT=DT_INT64",
      "\t.  Registered:  device='CPU'; DstT in [DT_FLOAT, DT_HALF]",
      "  device='CPU'; DstT in [DT_INT32]",
      "  device='GPU'; DstT in [DT_INT32]",
      '',
    ].join('\n');
    expect(() => registry.find('Cast', 'CPU', attrsOf('int64'))).toThrow(expect.objectContaining({ code: Code.NOT_FOUND, message: text }));
  });

  it('says that nothing is registered', () => {
    const text =
      "No registered 'Neg' OpKernel for 'CPU' devices compatible with node {{node nn}}\n\t.  Registered:  <no registered kernels>\n";
    expect(() => registry.find('Neg', 'CPU', attrsOf('float'))).toThrow(expect.objectContaining({ code: Code.NOT_FOUND, message: text }));
  });
});

describe('KernelCache', () => {
  it('keeps one kernel per device and node name until it is cleared', () => {
    const counting: StatefulKernelSpec = { kind: 'stateful', op: 'X', create: () => () => [] };
    const registry = new KernelRegistry([]);
    const kernelNode = { name: 'a', op: 'X', attrs: attrsOf('float'), inputTypes: [], outputTypes: [] };
    const cache = new KernelCache();
    const [here, there] = [testDevice(registry, '/device:CPU:0'), testDevice(registry, '/device:CPU:1')];
    const first = cache.get(kernelNode, here, counting);
    expect(cache.get(kernelNode, here, counting)).toBe(first);
    expect(cache.get(kernelNode, there, counting)).not.toBe(first);
    expect(cache.get({ ...kernelNode, name: 'b' }, here, counting)).not.toBe(first);
    cache.clear();
    expect(cache.get(kernelNode, here, counting)).not.toBe(first);
  });
});
