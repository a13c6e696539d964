import type { SshConnection } from '../ssh/ssh-connection.ts';
import { bringComponent, currentComponent, hasComponent, removeOtherComponents, useComponent } from './components.ts';
import { takeLock } from './lock.ts';
import { probe } from './probe.ts';
import { removeAll } from './remove.ts';
import { runningAs, startAgent, stopAgent, stopAgentOnly } from './service.ts';
import type { ComponentSteps, RemoteSteps } from './steps.ts';
import { forgetEarlierTrust, noteTrust, pair, putTrustBack } from './trust.ts';
import { upload } from './upload.ts';
import { isThere, removeOthers, unpack, use } from './versions.ts';

/** By scripts of sh: Linux and macOS. `system`: as `uname -s` says. */
export function posixSteps(ssh: SshConnection, system: string): RemoteSteps {
  return {
    probe: (signal) => probe(ssh, signal),
    takeLock: (options) => takeLock(ssh, options),
    isThere: (bundle, signal) => isThere(ssh, bundle, signal),
    upload: (bundle, options) => upload(ssh, bundle, options),
    unpack: (bundle, signal) => unpack(ssh, bundle, signal),
    noteTrust: (options) => noteTrust(ssh, options),
    pair: (id, options) => pair(ssh, id, options),
    putTrustBack: () => putTrustBack(ssh),
    forgetEarlierTrust: () => forgetEarlierTrust(ssh),
    use: (id) => use(ssh, id),
    startAgent: ({ serviceManager: manager }, options) =>
      startAgent(ssh, manager === 'systemd' || manager === 'launchd' ? manager : undefined, options),
    runningAs: () => runningAs(ssh),
    stopAgent: () => stopAgent(ssh),
    stopAgentOnly: () => stopAgentOnly(ssh),
    removeOthers: (kept) => removeOthers(ssh, kept),
    removeAll: () => removeAll(ssh),
    components: system === 'Linux' ? componentSteps(ssh) : undefined,
  };
}

function componentSteps(ssh: SshConnection): ComponentSteps {
  return {
    has: (component, signal) => hasComponent(ssh, component, signal),
    bring: (component, options) => bringComponent(ssh, component, options),
    use: (component) => useComponent(ssh, component),
    current: (signal) => currentComponent(ssh, signal),
    removeOthers: (kept) => removeOtherComponents(ssh, kept),
  };
}
