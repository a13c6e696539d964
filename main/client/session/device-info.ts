import type { ListDevicesResponse } from '#proto/generated/tensorflow/master_pb.ts';

/** A device that a session may use. */
export interface DeviceInfo {
  /** `/job:worker/replica:0/task:1/device:CPU:0` */
  readonly name: string;
  /** `CPU`, `GPU` */
  readonly type: string;
  /** Bytes. */
  readonly memoryLimit: number;
  /** Identity of the device's process: it changes when the task restarts. */
  readonly incarnation: bigint;
  /** Text for people: the model of a card, or that a device is virtual. */
  readonly description: string;
}

export function deviceInfo({ localDevice, remoteDevice }: ListDevicesResponse): DeviceInfo[] {
  return [...localDevice, ...remoteDevice].map((device) => ({
    name: device.name,
    type: device.deviceType,
    memoryLimit: Number(device.memoryLimit),
    incarnation: device.incarnation,
    description: device.physicalDeviceDesc,
  }));
}
