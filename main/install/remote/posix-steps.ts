import { bringComponent, currentComponent, hasComponent, removeOtherComponents, useComponent } from './components.ts';
import { takeLock } from './lock.ts';
import type { MachineShell } from './machine-shell.ts';
import { probe } from './probe.ts';
import { removeAll } from './remove.ts';
import { runningAs, startAgent, stopAgent, stopAgentOnly } from './service.ts';
import type { ComponentSteps, RemoteSteps } from './steps.ts';
import { forgetEarlierTrust, noteTrust, pair, putTrustBack } from './trust.ts';
import { upload } from './upload.ts';
import { isThere, removeOthers, unpack, use } from './versions.ts';

/** By scripts of sh: Linux and macOS. `system`: as `uname -s` says. */
export function posixSteps(shell: MachineShell, system: string): RemoteSteps {
  return {
    probe: (signal) => probe(shell, signal),
    takeLock: (options) => takeLock(shell, options),
    isThere: (bundle, signal) => isThere(shell, bundle, signal),
    upload: (bundle, options) => upload(shell, bundle, options),
    unpack: (bundle, signal) => unpack(shell, bundle, signal),
    noteTrust: (options) => noteTrust(shell, options),
    pair: (id, options) => pair(shell, id, options),
    putTrustBack: () => putTrustBack(shell),
    forgetEarlierTrust: () => forgetEarlierTrust(shell),
    use: (id) => use(shell, id),
    startAgent: ({ serviceManager: manager }, options) =>
      startAgent(shell, manager === 'systemd' || manager === 'launchd' ? manager : undefined, options),
    runningAs: () => runningAs(shell),
    stopAgent: () => stopAgent(shell),
    stopAgentOnly: () => stopAgentOnly(shell),
    removeOthers: (kept) => removeOthers(shell, kept),
    removeAll: () => removeAll(shell),
    components: system === 'Linux' ? componentSteps(shell) : undefined,
  };
}

function componentSteps(shell: MachineShell): ComponentSteps {
  return {
    has: (component, signal) => hasComponent(shell, component, signal),
    bring: (component, options) => bringComponent(shell, component, options),
    use: (component) => useComponent(shell, component),
    current: (signal) => currentComponent(shell, signal),
    removeOthers: (kept) => removeOtherComponents(shell, kept),
  };
}
