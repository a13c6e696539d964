import type { SshLogin, SshTarget } from '#proto/ipc/contract/machines.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Bundle } from './bundle/bundle.ts';
import type { Platform } from './bundle/platform.ts';
import type { Component } from './component/component.ts';
import { bringParts, type Parts, spaceFor } from './parts.ts';
import type { Progress } from './progress.ts';
import { currentComponent, removeOtherComponents, useComponent } from './remote/components.ts';
import { type RemoteLock, takeLock } from './remote/lock.ts';
import { type Probe, probe } from './remote/probe.ts';
import { removeAll } from './remote/remove.ts';
import { checkNoOtherAgent, checkPlace, platformOf } from './remote/requirements.ts';
import { runningAs, type ServiceKind, startAgent, stopAgent, stopAgentOnly } from './remote/service.ts';
import { type Enroll, forgetEarlierTrust, noteTrust, pair, putTrustBack } from './remote/trust.ts';
import { removeOthers, use } from './remote/versions.ts';
import { SshConnection } from './ssh/ssh-connection.ts';
import type { SshEnv } from './ssh/ssh-env.ts';

export interface WorkEnv {
  readonly ssh: SshEnv;
  readonly login: SshLogin;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface InstallEnv extends WorkEnv {
  readonly bundleFor: (platform: Platform) => Promise<Bundle>;
  /** What is brought there besides, if anything; what was brought earlier stays otherwise. */
  readonly componentFor?: ((platform: Platform) => Promise<Component>) | undefined;
  readonly enroll: Enroll;
}

export interface Installed {
  readonly service: ServiceKind;
  /** Its tasks were ended: another version had been running there. */
  readonly isUpgrade: boolean;
  /** Why files of earlier versions could not be removed; empty when they could. */
  readonly leftover: string;
  /** Milliseconds. */
  readonly clockOffset: number;
}

/**
 * Installs the agent on a machine and starts it, or brings another version in its place. Nothing is written there before all that can be
 * known in advance is in order; after a failure or cancellation everything is as before, and the version before runs again. Rejects with
 * a StatusError that says the way out, or the signal's reason. Installing what is there already takes a second.
 */
export async function install(target: SshTarget, env: InstallEnv): Promise<Installed> {
  const { signal, onProgress } = env;
  onProgress({ stage: 'connecting' });
  const ssh = await SshConnection.open(target, env.login, { env: env.ssh, signal });
  try {
    onProgress({ stage: 'probing' });
    const first = await probe(ssh, signal);
    checkNoOtherAgent(ssh.name, first);
    const platform = platformOf(ssh.name, first);
    onProgress({ stage: 'probing', message: 'packing Lanflow for machines of its kind: some ten seconds, the first time only' });
    const bundle = await env.bundleFor(platform);
    if (env.componentFor)
      onProgress({ stage: 'probing', message: 'packing the component: a minute for each gigabyte, the first time only' });
    const parts: Parts = { bundle, component: await env.componentFor?.(platform) };
    checkPlace(ssh.name, first, await spaceFor(ssh, parts, { current: first.current, signal }));
    const lock = await takeLock(ssh, { signal, onWait: () => onProgress({ stage: 'probing', message: 'another Lanflow installs there' }) });
    try {
      // Whoever had the lock may have changed what is there.
      const whole = { ...env, signal: AbortSignal.any([signal, lock.lost]) };
      const found = await probe(ssh, whole.signal);
      checkNoOtherAgent(ssh.name, found);
      return await installLocked(ssh, parts, { env: whole, found, lock });
    } finally {
      await lock.release();
    }
  } finally {
    ssh.close();
  }
}

async function installLocked(
  ssh: SshConnection,
  parts: Parts,
  { env, found, lock }: { env: InstallEnv; found: Probe; lock: RemoteLock },
): Promise<Installed> {
  const { signal, onProgress } = env;
  const { bundle, component } = parts;
  let isTouched = false;
  try {
    await bringParts(ssh, parts, { signal, onProgress });
    const earlier = component && (await currentComponent(ssh, signal));
    onProgress({ stage: 'pairing' });
    await noteTrust(ssh, { signal });
    await pair(ssh, bundle.id, { signal, enroll: env.enroll });
    onProgress({ stage: 'starting' });
    const isUpgrade = found.current !== '' && found.current !== bundle.id;
    isTouched = true;
    const service = await replaceAgent(ssh, bundle.id, { found, signal });
    if (component) await useComponent(ssh, component);
    const leftover = await tidyUp(ssh, [bundle.id, found.current], earlier);
    return { service, isUpgrade, leftover, clockOffset: found.clockOffset };
  } catch (error) {
    // What is there is another installer's work by now.
    if (lock.lost.aborted) throw error;
    throw await putBack(ssh, { found, isTouched, error: toStatusError(error) });
  }
}

/** The installation is good without it. Resolves to what went wrong, or an empty text. */
async function tidyUp(ssh: SshConnection, kept: readonly string[], component?: string): Promise<string> {
  try {
    await forgetEarlierTrust(ssh);
    await removeOthers(ssh, kept);
    if (component !== undefined) await removeOtherComponents(ssh, component);
    return '';
  } catch (error) {
    return toStatusError(error).message;
  }
}

/** One of the same version goes on, or is started anew, and its tasks go on; those of another version end. */
async function replaceAgent(
  ssh: SshConnection,
  id: string,
  { found, signal }: { found: Probe; signal: AbortSignal },
): Promise<ServiceKind> {
  const running = found.current === id ? await runningAs(ssh) : undefined;
  if (running) return running;
  await (found.current === id ? stopAgentOnly(ssh) : stopAgent(ssh));
  signal.throwIfAborted();
  await use(ssh, id);
  return startAgent(ssh, found.hasSystemd, { signal });
}

/** As it was found. Resolves to the error, with a word on what has become of the machine where that is not the same. */
async function putBack(
  ssh: SshConnection,
  { found, isTouched, error }: { found: Probe; isTouched: boolean; error: StatusError },
): Promise<StatusError> {
  if (ssh.isLost) return error.withMessage(`${error.message}. What was uploaded stays there for the next try`);
  try {
    if (found.current === '') {
      await putTrustBack(ssh);
      await removeAll(ssh);
      return error;
    }
    if (isTouched) {
      await stopAgentOnly(ssh);
      await putTrustBack(ssh);
      await use(ssh, found.current);
      await startAgent(ssh, found.hasSystemd, {});
    }
    await removeOthers(ssh, [found.current]);
    await removeOtherComponents(ssh);
    return isTouched ? error.withMessage(`${error.message}. The version before runs again`) : error;
  } catch (second) {
    return error.withMessage(`${error.message}. And it could not be put back as it was: ${toStatusError(second).message}`);
  }
}
