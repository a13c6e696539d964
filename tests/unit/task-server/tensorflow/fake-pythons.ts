import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FindEnv } from '../../../../task-server/tensorflow/find/tensorflow-finder.ts';

/** A home with whatever Pythons a test puts into it; nothing outside of it is seen. */
export class FakeHome {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<FakeHome> {
    return new FakeHome(await mkdtemp(join(tmpdir(), 'lanflow-home-')));
  }

  env(variables: FindEnv['variables'] = {}): FindEnv {
    return {
      variables,
      platform: 'linux',
      home: this.folder,
      sharedFolders: [join(this.folder, 'opt')],
      placeholders: [this.path('usr/bin/python3')],
    };
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  async write(path: string, text = ''): Promise<string> {
    const file = this.path(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  }

  /** An environment, as conda or venv make it; with TensorFlow where `tensorflow` names its metadata. */
  async environment(path: string, { kind = 'conda', tensorflow }: { kind?: 'conda' | 'venv'; tensorflow?: string } = {}): Promise<string> {
    await this.write(kind === 'conda' ? `${path}/conda-meta/history` : `${path}/pyvenv.cfg`);
    await this.write(`${path}/bin/python`);
    if (tensorflow !== undefined) await this.install(`${path}/lib/python3.11/site-packages`, tensorflow);
    return this.path(path);
  }

  async install(site: string, metadata: string): Promise<void> {
    await this.write(`${site}/tensorflow/__init__.py`);
    await this.write(`${site}/${metadata}/METADATA`);
  }

  /** A component that brings a library of TensorFlow.js. */
  async component(path: string, name: string, version: string): Promise<string> {
    await this.write(`${path}/node_modules/@tensorflow/${name}/package.json`, JSON.stringify({ name: `@tensorflow/${name}`, version }));
    return this.path(path);
  }

  /** A program that says of itself what a Python would, and counts how often it is asked. */
  async interpreter(path: string, folders: readonly string[]): Promise<string> {
    const said = JSON.stringify({ executable: this.path(path), prefix: this.path('usr'), folders: ['', ...folders] });
    const file = await this.write(path, `#!/bin/sh\necho asked >> '${this.path('asked')}'\necho '${said}'\n`);
    await chmod(file, 0o755);
    return file;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
