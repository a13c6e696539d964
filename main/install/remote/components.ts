import { failedPrecondition } from '#proto/wire/status.ts';
import type { Component } from '../component/component.ts';
import type { MachineShell } from './machine-shell.ts';
import { DROP, INSTALL, NODE } from './paths.ts';
import { removeFailure } from './remove.ts';
import { runOrFail, runScript } from './shell.ts';
import type { BringOptions } from './steps.ts';
import { partFile, upload, writeFailure } from './upload.ts';

/** One folder for each component, named by its content, and `current`: agents look there for it. */
const COMPONENTS = `${INSTALL}/components`;

/** A gigabyte or two of libraries, on a busy disk. */
const LIMIT_MS = 600_000;
const DOES_NOT_LOAD = 66;

export async function hasComponent(shell: MachineShell, { id }: Pick<Component, 'id'>, signal: AbortSignal): Promise<boolean> {
  return (await runScript(shell, `test -d ${COMPONENTS}/${id}`, { signal })).code === 0;
}

export async function bringComponent(shell: MachineShell, component: Component, options: BringOptions): Promise<void> {
  const { id, package: about } = component;
  await upload(shell, component, options);
  const script = `umask 077
mkdir -p ${COMPONENTS} && cd ${COMPONENTS} || exit 1
rm -rf ${id}.new && mkdir ${id}.new && tar -xzf ${partFile(component)} -C ${id}.new || exit 1
( cd ${id}.new && LD_LIBRARY_PATH=$PWD/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ${INSTALL}/${options.version}/${NODE} -e "require('${about.name}')" >&2 ) || exit ${DOES_NOT_LOAD}
mv ${id}.new ${id} && rm -f ${partFile(component)}`;
  await runOrFail(shell, script, {
    signal: options.signal,
    limitMs: LIMIT_MS,
    explain: (result) => {
      if (result.code !== DOES_NOT_LOAD) return writeFailure(shell, result);
      const words = result.stderr.split('\n').find((line) => /^\w*Error: /.test(line)) ?? result.stderr.trim().slice(-300);
      return failedPrecondition(`The component ${about.name} does not load on ${shell.name}: ${words}`);
    },
  });
}

export async function useComponent(shell: MachineShell, { id }: Pick<Component, 'id'>): Promise<void> {
  const script = `cd ${COMPONENTS} && rm -f current.new && ln -s ${id} current.new && mv -fT current.new current`;
  await runOrFail(shell, script, { explain: (result) => writeFailure(shell, result) });
}

export async function currentComponent(shell: MachineShell, signal: AbortSignal): Promise<string> {
  return (await runScript(shell, `readlink ${COMPONENTS}/current`, { signal })).stdout.trim();
}

export async function removeOtherComponents(shell: MachineShell, kept = ''): Promise<void> {
  const script = `${DROP}
cd ${COMPONENTS} 2>/dev/null || exit 0
current=$(readlink current)
for name in *; do
  case "$name" in current|"$current"|${kept || 'none'}) ;; *) drop "$name" || exit ;; esac
done`;
  await runOrFail(shell, script, { limitMs: LIMIT_MS, explain: (result) => removeFailure(shell, result) });
}
