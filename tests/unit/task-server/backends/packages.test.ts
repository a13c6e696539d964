import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gpuBackends, installedBackends } from '../../../../task-server/backends/backends.ts';
import { findPackage } from '../../../../task-server/backends/packages.ts';
import { makeComponent } from '../../../support/stand-in-component.ts';

describe('a package that a backend needs', () => {
  let component: string;

  beforeEach(async () => {
    component = await mkdtemp(join(tmpdir(), 'lanflow-component-'));
    await makeComponent(component);
    vi.stubEnv('LANFLOW_COMPONENT', component);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(component, { recursive: true });
  });

  it('is found in the component of the machine, and says whether it computes on a card', async () => {
    const [backend] = installedBackends(gpuBackends, { cores: 1 });
    expect(backend?.name).toBe('tfjs-node-gpu');
    expect(await backend?.usesGpu()).toBe(true);
  });

  it('is taken from beside Lanflow where that has it', () => {
    expect(findPackage('@tensorflow/tfjs-core', component)).toContain('node_modules/@tensorflow/tfjs-core');
    expect(findPackage('@tensorflow/no-such-package', component)).toBeUndefined();
  });

  it('is not there without either', () => {
    expect(findPackage('@tensorflow/tfjs-node-gpu', '')).toBeUndefined();
  });
});
