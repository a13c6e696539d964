import type { Page } from 'playwright-core';
import type { ClusterInfo, InstallInfo, MachineInfo, SshTarget } from '#proto/ipc/contract.ts';
import { notFound, permissionDenied } from '#proto/wire/status.ts';
import { scriptCore } from './scripted-core.ts';

/** A lab that exists for one window only, with machines in every state. */
export interface ScriptedLab {
  /** What was asked for, as `call: what`. */
  readonly asked: readonly string[];
  /** Lets the work on a machine go on to this stage. */
  reach(host: string, change: Partial<InstallInfo>): void;
  /** Something is in the way of finding machines. */
  hinder(problem: string): void;
}

const unknown = {
  ...{
    isThis: false,
    reason: '',
    seenAt: 0,
    isInstalled: false,
    networks: [],
    versions: {},
    port: 22,
    system: '',
    cores: 0,
    memoryTotal: 0,
    memoryFree: 0,
  },
  ...{ load: 0, diskTotal: 0, diskFree: 0, gpus: [], engines: [], tasks: 0, clockOffset: 0 },
} as const;
const agent = {
  ...{ port: 7500, isInstalled: true, system: 'Debian GNU/Linux 12', cores: 8, memoryTotal: 33e9, memoryFree: 21e9, load: 0.22 },
  ...{ diskTotal: 512e9, diskFree: 300e9, versions: { agent: '1.0.0', 'Node.js': '20.19.0' } },
} as const;

const bundled = { name: 'bundled', version: '1.0.0', title: '', path: '', problem: '' } as const;
const tensorFlow = {
  name: 'tensorflow',
  version: '2.21.0',
  title: 'conda: lab',
  path: '/home/ada/miniconda3/envs/lab',
  problem: '',
} as const;
const noTensorFlow = {
  ...{ ...tensorFlow, version: '', title: '', path: '' },
  problem:
    'No TensorFlow was found in Python or conda: install it (pip install tensorflow-cpu), or write the folder of the environment that has it into /home/ada/.local/share/lanflow/environments.txt',
} as const;

/** One in every state, and a second one to install on. */
function machinesOfLab(): MachineInfo[] {
  const now = Date.now();
  const lost =
    'No machine answers at lab-07 (10.0.4.17): it is switched off, unplugged, or has another address now. Look at its cable and address';
  return [
    {
      ...unknown,
      ...agent,
      id: 'm1',
      name: 'lab-01',
      isThis: true,
      isInstalled: false,
      state: 'online',
      addresses: ['10.0.4.11'],
      networks: ['10.0.4.0/24'],
      engines: [bundled, tensorFlow],
      seenAt: now,
    },
    {
      ...unknown,
      ...agent,
      id: 'm2',
      name: 'lab-02',
      state: 'online',
      addresses: ['10.0.4.12'],
      networks: ['10.0.4.0/24'],
      gpus: ['GeForce RTX 4070'],
      engines: [bundled, noTensorFlow],
      memoryFree: 2e9,
      clockOffset: 3200,
      seenAt: now,
    },
    {
      ...unknown,
      id: 'ssh:10.0.4.13:22',
      name: 'lab-03',
      state: 'installable',
      reason: 'It answers SSH, but no agent runs on it',
      addresses: ['10.0.4.13'],
    },
    {
      ...unknown,
      id: 'ssh:10.0.4.14:22',
      name: 'lab-04',
      state: 'installable',
      reason: 'It answers SSH, but no agent runs on it',
      addresses: ['10.0.4.14'],
    },
    {
      ...unknown,
      ...agent,
      id: 'm5',
      name: 'lab-05',
      state: 'unpaired',
      reason: 'Its agent belongs to no lab yet: pair it with the PIN that it shows',
      addresses: ['10.0.4.15', 'fe80::5'],
    },
    { ...unknown, ...agent, id: 'm7', name: 'lab-07', state: 'lost', reason: lost, addresses: ['10.0.4.17'], seenAt: now - 72_000 },
    { ...unknown, ...agent, id: 'm9', name: 'lab-09', state: 'other lab', reason: 'It belongs to another lab', addresses: ['10.0.4.19'] },
  ];
}

function clusterOf(clusters: readonly ClusterInfo[], id: string): ClusterInfo {
  const cluster = clusters.find((each) => each.id === id);
  if (cluster) return cluster;
  throw notFound(`There is no cluster ${id}`);
}

const isSame = (a: SshTarget, b: SshTarget) => a.host === b.host && a.port === b.port;

/** In force from the next load of the page on. With `clusters` the lab has these, and no others. */
export async function scriptLab(page: Page, clusters?: readonly ClusterInfo[]): Promise<ScriptedLab> {
  const asked: string[] = [];
  let machines = machinesOfLab();
  let installs: InstallInfo[] = [];
  let endProbe = (): void => undefined;
  const find = (id: string) => {
    const machine = machines.find((each) => each.id === id);
    if (!machine) throw notFound(`There is no machine ${id}`);
    return machine;
  };
  const change = (id: string, part: Partial<MachineInfo>): MachineInfo => {
    machines = machines.map((machine) => (machine.id === id ? { ...machine, ...part } : machine));
    core.emit('machines.changed', { machines });
    return find(part.id ?? id);
  };
  const tellInstalls = () => core.emit('machines.installing', { installs });
  const begin = (kind: InstallInfo['kind'], targets: readonly SshTarget[], hostKey: string): null => {
    asked.push(`${kind}: ${targets.map(({ host }) => host).join(' ')}`);
    const fresh = targets.map((target): InstallInfo => ({ ...target, kind, stage: 'host key', fraction: 0, message: '', hostKey }));
    installs = [...installs.filter((old) => !targets.some((target) => isSame(target, old))), ...fresh];
    tellInstalls();
    return null;
  };
  const reach: ScriptedLab['reach'] = (host, part) => {
    installs = installs.map((install) => (install.host === host ? { ...install, ...part } : install));
    const machine = machines.find(({ addresses }) => addresses.includes(host));
    if (part.stage === 'done' && machine)
      change(machine.id, { ...agent, id: `m-${machine.name}`, state: 'online', reason: '', seenAt: Date.now() });
    tellInstalls();
  };

  const core = await scriptCore(
    page,
    {
      'machines.list': () => machines,
      'machines.discovery': () => ({ problem: '' }),
      'machines.lookAgain': () => null,
      'machines.lab': () => ({
        id: 'lab-7f3a',
        fingerprint: 'SHA256:3q2-7w8V5kT1mZr0b9XcYdEfGhIjKlMnOpQrStUvWx',
        user: 'teacher',
        isOwner: true,
        problem: '',
      }),
      'machines.known': () => [
        { name: 'gpu-box', address: '10.0.7.2', port: 22, user: '', source: 'ssh config' },
        { name: '10.0.4.13', address: '10.0.4.13', port: 22, user: '', source: 'known_hosts' },
      ],
      'machines.installs': () => installs,
      'machines.install': ({ targets, login, component }) => {
        asked.push(`login: ${login.user} ${login.password}`);
        if (component) asked.push(`component: ${component}`);
        return begin('install', targets, 'SHA256:uHkB1mVw0QxJ4r6cTzYp8sLdNfGaKeXoIiCvWbR2nDq');
      },
      'machines.uninstall': ({ targets }) => begin('uninstall', targets, 'SHA256:uHkB1mVw0QxJ4r6cTzYp8sLdNfGaKeXoIiCvWbR2nDq'),
      'machines.answerHostKeys': ({ hosts, accept }) => {
        asked.push(`keys: ${hosts.length} ${accept}`);
        for (const { host } of hosts)
          reach(host, accept ? { stage: 'probing', hostKey: '' } : { stage: 'failed', message: 'Its key was refused' });
        return null;
      },
      'machines.cancelInstall': ({ targets }) => {
        installs = installs.filter((install) => !targets.some((target) => isSame(target, install)));
        tellInstalls();
        return null;
      },
      'machines.pair': ({ machine, pin }) => {
        if (pin !== '314159') throw permissionDenied('That is not the PIN that lab-05 shows; 2 tries are left');
        return change(machine, { state: 'online', reason: '' });
      },
      'machines.remove': ({ machine }) => {
        asked.push(`remove: ${machine}`);
        machines = machines.filter(({ id }) => id !== machine);
        core.emit('machines.changed', { machines });
        return null;
      },
      'machines.add': ({ address }) => {
        throw notFound(`No agent answers at ${address}`);
      },
      'machines.probe': () => {
        core.emit('machines.probing', { tried: 120, all: 254, found: 1 });
        return new Promise((resolve) => {
          endProbe = () => resolve({ tried: 120, all: 254, found: [find('m5')] });
        });
      },
      'machines.cancelProbe': () => {
        endProbe();
        return null;
      },
      ...(clusters && {
        'clusters.list': () => clusters,
        'clusters.export': () => ({ python: '', json: '', hostfile: '', tfConfig: {}, client: '' }),
        'clusters.move': ({ cluster, task, machine }) => {
          asked.push(`move: ${task} to ${machine}`);
          return clusterOf(clusters, cluster);
        },
        'clusters.close': ({ cluster }) => {
          asked.push(`close: ${cluster}`);
          return clusterOf(clusters, cluster);
        },
      }),
      'machines.diagnose': ({ target }) => ({
        cause: 'refused',
        message: `${target} is there, but no Lanflow agent runs on it. It answers SSH: install Lanflow there from here`,
      }),
    },
    ['machines.changed', 'machines.discoveryChanged', 'machines.installing', ...(clusters ? (['clusters.changed'] as const) : [])],
  );
  return { asked, reach, hinder: (problem) => core.emit('machines.discoveryChanged', { problem }) };
}
