import type { InstallInfo, MachineInfo } from '#proto/ipc/contract.ts';

/** A machine of a lab that takes tasks, but for what is given. */
export function machineOf(values: Partial<MachineInfo> = {}): MachineInfo {
  return {
    ...{ id: 'lab-01', name: 'lab-01', isThis: false, state: 'online', reason: '', seenAt: 1000, isInstalled: true },
    ...{ versions: {}, addresses: ['10.0.4.11'], networks: ['10.0.4.0/24'], port: 7500, system: 'Debian 12', cores: 8 },
    ...{
      memoryTotal: 32e9,
      memoryFree: 20e9,
      load: 0.2,
      diskTotal: 500e9,
      diskFree: 300e9,
      gpus: [],
      engines: [],
      tasks: 0,
      clockOffset: 0,
    },
    ...values,
  };
}

export function installOn(host: string, values: Partial<InstallInfo> = {}): InstallInfo {
  return { kind: 'install', host, port: 22, stage: 'uploading', fraction: 0.5, message: '', hostKey: '', ...values };
}
