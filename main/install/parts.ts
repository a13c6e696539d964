import { failedPrecondition } from '#proto/wire/status.ts';
import type { Bundle } from './bundle/bundle.ts';
import type { Component } from './component/component.ts';
import type { Progress } from './progress.ts';
import type { RemoteSteps } from './remote/steps.ts';

/** What goes to a machine. */
export interface Parts {
  readonly bundle: Bundle;
  readonly component: Component | undefined;
}

/** A bundle takes up four times its size while it is unpacked; the rest is for logs and the tasks' own files. */
const SPACE_PER_BYTE = 5;
const SPARE_BYTES = 50_000_000;

/**
 * Bytes that are needed there; nothing for what is there already. `current`: the version in use. FAILED_PRECONDITION where components are of
 * no use.
 */
export async function spaceFor(
  { name, steps }: { name: string; steps: RemoteSteps },
  { bundle, component }: Parts,
  { current, signal }: { current: string; signal: AbortSignal },
): Promise<number> {
  const space = current === bundle.id ? 0 : bundle.size * SPACE_PER_BYTE + SPARE_BYTES;
  if (!component) return space;
  if (!steps.components) throw failedPrecondition(`Components are for Linux; install ${name} without one`);
  return (await steps.components.has(component, signal)) ? space : space + component.size + component.unpackedSize;
}

/** Uploads and unpacks what is not there yet. Nothing of it is in use afterwards. */
export async function bringParts(
  steps: RemoteSteps,
  { bundle, component }: Parts,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<void> {
  const onFraction = (fraction: number): void => onProgress({ stage: 'uploading', fraction });
  if (!(await steps.isThere(bundle, signal))) {
    onFraction(0);
    await steps.upload(bundle, { signal, onFraction });
    await steps.unpack(bundle, signal);
  }
  if (!component || !steps.components || (await steps.components.has(component, signal))) return;
  onFraction(0);
  await steps.components.bring(component, { signal, version: bundle.id, onFraction });
}
