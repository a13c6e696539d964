import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { type DeviceSpec, parseDeviceName, satisfies, taskOfDevice } from '#proto/wire/device-name.ts';
import { internal } from '#proto/wire/status.ts';
import type { PlacementRule } from './placement.ts';

/** Better types first. Types that are not listed come last. */
const TYPE_ORDER: readonly string[] = ['GPU', 'CPU'];

interface Candidate {
  readonly name: string;
  readonly type: string;
  readonly spec: DeviceSpec;
}

/** The devices of a session, best first: by type, then by the rule, then by full name (so `task:10` before `task:2`). */
export class Candidates {
  readonly types: ReadonlySet<string>;
  readonly #sorted: readonly Candidate[];

  constructor(devices: readonly DeviceAttributes[], rule: PlacementRule, ownTask: string) {
    this.types = new Set(devices.map(({ deviceType }) => deviceType));
    const foreign = ({ name }: Candidate): number => (rule === 'local' && taskOfDevice(name) !== ownTask ? 1 : 0);
    this.#sorted = devices
      .map(candidate)
      .sort((a, b) => typeRank(a) - typeRank(b) || foreign(a) - foreign(b) || (a.name < b.name ? -1 : Number(a.name > b.name)));
  }

  /** Sorted by name alone, for messages. */
  get names(): string[] {
    return this.#sorted.map(({ name }) => name).sort();
  }

  /** Names of the devices that satisfy the constraint and are of one of the types, best first. */
  matching(spec: DeviceSpec, types: ReadonlySet<string> = this.types): string[] {
    return this.#sorted.filter((device) => types.has(device.type) && satisfies(device.spec, spec)).map(({ name }) => name);
  }
}

function candidate({ name, deviceType }: DeviceAttributes): Candidate {
  const spec = parseDeviceName(name);
  if (!spec) throw internal(`A task reported a device with the malformed name '${name}'`);
  return { name, type: deviceType, spec };
}

function typeRank({ type }: Candidate): number {
  const rank = TYPE_ORDER.indexOf(type);
  return rank < 0 ? TYPE_ORDER.length : rank;
}
