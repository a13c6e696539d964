import type { EngineInfo, MachineInfo } from '#proto/ipc/contract.ts';

type EngineName = EngineInfo['name'];

/** As they are called where people read of them. */
const TITLES = { bundled: 'bundled', tensorflow: 'TensorFlow' } as const satisfies Record<EngineName, string>;

export const engineNames: readonly EngineName[] = ['bundled', 'tensorflow'];

/** Undefined as long as the machine does not tell. */
export function engineOn(machine: MachineInfo | undefined, name: EngineName): EngineInfo | undefined {
  return machine?.engines.find((engine) => engine.name === name);
}

/** `TensorFlow 2.21.0 (conda: lab)`, as far as that is known; just `bundled` for the one that every agent has, unless that has a component. */
export function engineTitle(name: EngineName, engine: EngineInfo | undefined): string {
  if (!engine || engine.title === '') return TITLES[name];
  const { version, title } = engine;
  return `${[TITLES[name], version].filter((part) => part !== '').join(' ')} (${title})`;
}
