import type { Attrs } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { notFound, type StatusError } from '#proto/wire/status.ts';
import type { DeviceType } from './device.ts';
import type { KernelSpec } from './kernel.ts';

const ALL_DEVICES: readonly DeviceType[] = ['CPU', 'GPU'];

/** Which kernel serves an op, on a type of device, for the types of a node. Fixed once built; the first match wins. */
export class KernelRegistry {
  readonly #byOp = new Map<string, KernelSpec[]>();

  constructor(specs: Iterable<KernelSpec>) {
    for (const spec of specs) {
      const rivals = this.#byOp.get(spec.op);
      if (rivals) rivals.push(spec);
      else this.#byOp.set(spec.op, [spec]);
    }
  }

  /** Ops with a kernel on any device, in the order of the list. */
  get ops(): string[] {
    return [...this.#byOp.keys()];
  }

  /** Is there a kernel for some types? Without attrs the placer's first question; with them its last one. */
  has(op: string, deviceType: DeviceType, attrs?: Attrs): boolean {
    const specs = this.#byOp.get(op) ?? [];
    return specs.some((spec) => runsOn(spec, deviceType) && (!attrs || matches(spec, attrs)));
  }

  /** Throws NOT_FOUND, naming the node that `attrs` belong to and the kernels that there are. */
  find(op: string, deviceType: DeviceType, attrs: Attrs): KernelSpec {
    const specs = this.#byOp.get(op) ?? [];
    for (const spec of specs) if (runsOn(spec, deviceType) && matches(spec, attrs)) return spec;
    throw noKernel(op, deviceType, attrs, specs);
  }
}

function runsOn({ devices = ALL_DEVICES }: KernelSpec, deviceType: DeviceType): boolean {
  return devices.includes(deviceType);
}

function matches({ types }: KernelSpec, attrs: Attrs): boolean {
  if (!types) return true;
  return Object.entries(types).every(([attr, served]) => attrTypes(attrs, attr).every((dtype) => served.includes(dtype)));
}

/** An attr may hold one type or a list of them. */
function attrTypes(attrs: Attrs, name: string): DType[] {
  return attrs.values[name]?.value.case === 'list' ? attrs.types(name) : [attrs.type(name)];
}

function noKernel(op: string, deviceType: DeviceType, attrs: Attrs, specs: readonly KernelSpec[]): StatusError {
  const title = `No registered '${op}' OpKernel for '${deviceType}' devices compatible with node {{node ${attrs.node}}}`;
  const onDevice = specs.some((spec) => runsOn(spec, deviceType));
  const requested = onDevice
    ? `\n\t (OpKernel was found, but attributes didn't match) Requested Attributes: ${requestedTypes(specs, attrs)}`
    : '';
  const registered = specs.flatMap(specLines).join('\n') || '  <no registered kernels>';
  return notFound(`${title}${requested}\n\t.  Registered:${registered}\n`);
}

function requestedTypes(specs: readonly KernelSpec[], attrs: Attrs): string {
  const names = new Set(specs.flatMap(({ types = {} }) => Object.keys(types)));
  return [...names].map((name) => `${name}=${attrTypes(attrs, name).map(typeText).join(', ')}`).join(', ');
}

/** `  device='CPU'; T in [DT_FLOAT, DT_HALF]` */
function specLines({ devices = ALL_DEVICES, types = {} }: KernelSpec): string[] {
  const served = Object.entries(types).map(([attr, dtypes]) => `; ${attr} in [${dtypes.map(typeText).join(', ')}]`);
  return devices.map((device) => `  device='${device}'${served.join('')}`);
}

function typeText(dtype: DType): string {
  return `DT_${dtype.toUpperCase()}`;
}
