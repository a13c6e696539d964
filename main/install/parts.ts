import type { Bundle } from './bundle/bundle.ts';
import type { Component } from './component/component.ts';
import type { Progress } from './progress.ts';
import { bringComponent, hasComponent } from './remote/components.ts';
import { upload } from './remote/upload.ts';
import { isThere, unpack } from './remote/versions.ts';
import type { SshConnection } from './ssh/ssh-connection.ts';

/** What goes to a machine. */
export interface Parts {
  readonly bundle: Bundle;
  readonly component: Component | undefined;
}

/** A bundle takes up four times its size while it is unpacked; the rest is for logs and the tasks' own files. */
const SPACE_PER_BYTE = 5;
const SPARE_BYTES = 50_000_000;

/** Bytes that are needed there; nothing for what is there already. `current`: the version in use. */
export async function spaceFor(
  ssh: SshConnection,
  { bundle, component }: Parts,
  { current, signal }: { current: string; signal: AbortSignal },
): Promise<number> {
  const space = current === bundle.id ? 0 : bundle.size * SPACE_PER_BYTE + SPARE_BYTES;
  return component && !(await hasComponent(ssh, component, signal)) ? space + component.size + component.unpackedSize : space;
}

/** Uploads and unpacks what is not there yet. Nothing of it is in use afterwards. */
export async function bringParts(
  ssh: SshConnection,
  { bundle, component }: Parts,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<void> {
  const onFraction = (fraction: number): void => onProgress({ stage: 'uploading', fraction });
  if (!(await isThere(ssh, bundle, signal))) {
    onFraction(0);
    await upload(ssh, bundle, { signal, onFraction });
    await unpack(ssh, bundle, signal);
  }
  if (!component || (await hasComponent(ssh, component, signal))) return;
  onFraction(0);
  await bringComponent(ssh, component, { signal, version: bundle.id, onFraction });
}
