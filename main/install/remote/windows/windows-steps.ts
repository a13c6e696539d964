import type { SshConnection } from '../../ssh/ssh-connection.ts';
import type { RemoteSteps } from '../steps.ts';
import { takeLock } from './lock.ts';
import { windowsPlace } from './place.ts';
import { probe } from './probe.ts';
import { removeAll } from './remove.ts';
import { runningAs, startAgent, stopAgent } from './service.ts';
import { forgetEarlierTrust, noteTrust, pair, putTrustBack } from './trust.ts';
import { upload } from './upload.ts';
import { currentVersion, isThere, removeOthers, unpack, use } from './versions.ts';

/** By PowerShell and SFTP. */
export function windowsSteps(ssh: SshConnection, localAppData: string): RemoteSteps {
  const place = windowsPlace(localAppData);
  return {
    probe: (signal) => probe(ssh, place, signal),
    takeLock: (options) => takeLock(ssh, place, options),
    isThere: ({ id }, signal) => isThere(ssh, place, { id, signal }),
    upload: (bundle, options) => upload(ssh, place, { bundle, ...options }),
    unpack: (bundle, signal) => unpack(ssh, place, { bundle, signal }),
    noteTrust: (options) => noteTrust(ssh, place, options),
    pair: (id, options) => pair(ssh, place, { id, ...options }),
    putTrustBack: () => putTrustBack(ssh, place),
    forgetEarlierTrust: () => forgetEarlierTrust(ssh, place),
    use: (id) => use(ssh, place, id),
    startAgent: async (_, options) => startAgent(ssh, place, { id: await currentVersion(ssh, place), ...options }),
    runningAs: () => runningAs(ssh, place),
    stopAgent: () => stopAgent(ssh, place),
    // Tasks end with their agent there.
    stopAgentOnly: () => stopAgent(ssh, place),
    removeOthers: (kept) => removeOthers(ssh, place, kept),
    removeAll: () => removeAll(ssh, place),
  };
}
