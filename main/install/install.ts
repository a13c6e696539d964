import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Bundle } from './bundle/bundle.ts';
import type { Platform } from './bundle/platform.ts';
import type { Component } from './component/component.ts';
import { bringParts, type Parts, spaceFor } from './parts.ts';
import type { Progress } from './progress.ts';
import type { Probe } from './remote/probe.ts';
import { checkNoOtherAgent, checkPlace, platformOf } from './remote/requirements.ts';
import type { Enroll, RemoteLock, RemoteSteps, ServiceKind } from './remote/steps.ts';
import type { Workplace } from './workplace.ts';

export interface WorkEnv {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface InstallEnv extends WorkEnv {
  readonly bundleFor: (platform: Platform) => Promise<Bundle>;
  /** What is brought there besides, if anything; what was brought earlier stays otherwise. */
  readonly componentFor?: ((platform: Platform) => Promise<Component>) | undefined;
  /** Undefined: the machine belongs to the lab to which it belonged, or to none. */
  readonly enroll: Enroll | undefined;
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
export async function install({ shell, steps }: Workplace, env: InstallEnv): Promise<Installed> {
  const { signal, onProgress } = env;
  onProgress({ stage: 'probing' });
  const first = await steps.probe(signal);
  checkNoOtherAgent(shell.name, first);
  const platform = platformOf(shell.name, first);
  onProgress({ stage: 'probing', message: 'packing Lanflow for machines of its kind: some ten seconds, the first time only' });
  const bundle = await env.bundleFor(platform);
  if (env.componentFor) onProgress({ stage: 'probing', message: 'packing the component: a minute for each gigabyte, the first time only' });
  const parts: Parts = { bundle, component: await env.componentFor?.(platform) };
  checkPlace(shell.name, first, await spaceFor({ name: shell.name, steps }, parts, { current: first.current, signal }));
  const lock = await steps.takeLock({
    signal,
    onWait: () => onProgress({ stage: 'probing', message: 'another Lanflow installs there' }),
  });
  try {
    // Whoever had the lock may have changed what is there.
    const whole = { ...env, signal: AbortSignal.any([signal, lock.lost]) };
    const found = await steps.probe(whole.signal);
    checkNoOtherAgent(shell.name, found);
    return await installLocked({ shell, steps, found }, parts, { env: whole, lock });
  } finally {
    await lock.release();
  }
}

/** A machine that is being worked on, as it was when that began. */
interface Machine extends Workplace {
  readonly found: Probe;
}

async function installLocked(machine: Machine, parts: Parts, { env, lock }: { env: InstallEnv; lock: RemoteLock }): Promise<Installed> {
  const { steps, found } = machine;
  const { signal, onProgress } = env;
  const { bundle, component } = parts;
  let isTouched = false;
  try {
    await bringParts(steps, parts, { signal, onProgress });
    const earlier = component && (await steps.components?.current(signal));
    if (env.enroll) {
      onProgress({ stage: 'pairing' });
      await steps.noteTrust({ signal });
      await steps.pair(bundle.id, { signal, enroll: env.enroll });
    }
    onProgress({ stage: 'starting' });
    const isUpgrade = found.current !== '' && found.current !== bundle.id;
    isTouched = true;
    const service = await replaceAgent(machine, bundle.id, signal);
    if (component) await steps.components?.use(component);
    const leftover = await tidyUp(steps, [bundle.id, found.current], earlier);
    return { service, isUpgrade, leftover, clockOffset: found.clockOffset };
  } catch (error) {
    // What is there is another installer's work by now.
    if (lock.lost.aborted) throw error;
    throw await putBack(machine, isTouched, toStatusError(error));
  }
}

/** The installation is good without it. Resolves to what went wrong, or an empty text. */
async function tidyUp(steps: RemoteSteps, kept: readonly string[], component?: string): Promise<string> {
  try {
    await steps.forgetEarlierTrust();
    await steps.removeOthers(kept);
    if (component !== undefined) await steps.components?.removeOthers(component);
    return '';
  } catch (error) {
    return toStatusError(error).message;
  }
}

/** One of the same version goes on, or is started anew, and its tasks go on; those of another version end. */
async function replaceAgent({ steps, found }: Machine, id: string, signal: AbortSignal): Promise<ServiceKind> {
  const running = found.current === id ? await steps.runningAs() : undefined;
  if (running) return running;
  await (found.current === id ? steps.stopAgentOnly() : steps.stopAgent());
  signal.throwIfAborted();
  await steps.use(id);
  return steps.startAgent(found, { signal });
}

/** As it was found. Resolves to the error, with a word on what has become of the machine where that is not the same. */
async function putBack({ shell, steps, found }: Machine, isTouched: boolean, error: StatusError): Promise<StatusError> {
  if (shell.isLost) return error.withMessage(`${error.message}. What was uploaded stays there for the next try`);
  try {
    if (found.current === '') {
      await steps.putTrustBack();
      await steps.removeAll();
      return error;
    }
    if (isTouched) {
      await steps.stopAgentOnly();
      await steps.putTrustBack();
      await steps.use(found.current);
      await steps.startAgent(found, {});
    }
    await steps.removeOthers([found.current]);
    await steps.components?.removeOthers();
    return isTouched ? error.withMessage(`${error.message}. The version before runs again`) : error;
  } catch (second) {
    return error.withMessage(`${error.message}. And it could not be put back as it was: ${toStatusError(second).message}`);
  }
}
