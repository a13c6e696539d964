import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { titleOf } from './environment.ts';
import { libraryAt } from './library.ts';
import { findPackage } from './site-packages.ts';
import type { FindEnv, TensorFlowPlace } from './tensorflow-place.ts';

/** What a Python says of itself. */
interface Interpreter {
  readonly executable: string;
  /** Of its environment; of the system where it is none. */
  readonly prefix: string;
  /** Where it looks for packages, the user's own folder included before there is one. */
  readonly folders: readonly string[];
}

/** Not hung up by a Python on a slow disk, nor for long by what only looks like one. */
const LIMIT_MS = 10_000;

const QUESTION = `import json, site, sys
own = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
print(json.dumps({"executable": sys.executable, "prefix": sys.prefix, "folders": sys.path + own}))`;

/**
 * Pythons that are known by their program only. Each is asked once where it looks for packages: layouts differ between systems, and a
 * program may be a script that chooses another one.
 */
export class Interpreters {
  readonly #env: FindEnv;
  /** By path and age of the program. */
  readonly #known = new Map<string, Interpreter>();

  constructor(env: FindEnv) {
    this.#env = env;
  }

  /** Undefined when it is no Python, or has no TensorFlow. */
  async place(python: string): Promise<TensorFlowPlace | undefined> {
    const interpreter = await this.#ask(python);
    const found = interpreter && (await findPackage(interpreter.folders));
    if (!found) return undefined;
    const { executable, prefix } = interpreter;
    const title = titleOf(prefix);
    // `/usr` is nothing that anybody would call an environment.
    const path = title === 'Python' ? executable : prefix;
    return { version: found.version, title, path, library: libraryAt(found.folder), python: executable };
  }

  async #ask(python: string): Promise<Interpreter | undefined> {
    const program = this.#find(python);
    if (program === undefined) return undefined;
    const key = `${program} ${statSync(program).mtimeMs}`;
    const interpreter = this.#known.get(key) ?? (await ask(program));
    if (interpreter) this.#known.set(key, interpreter);
    return interpreter;
  }

  #find(python: string): string | undefined {
    const { variables, placeholders } = this.#env;
    if (isAbsolute(python) || /[\\/]/.test(python)) return existsSync(python) ? python : undefined;
    const names = this.#env.platform === 'win32' ? [`${python}.exe`, python] : [python];
    const folders = (variables['PATH'] ?? variables['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
    const programs = folders.flatMap((folder) => names.map((name) => join(folder, name)));
    return programs.find((path) => existsSync(path) && !placeholders.includes(path));
  }
}

async function ask(program: string): Promise<Interpreter | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-c', QUESTION], { timeout: LIMIT_MS, windowsHide: true });
    // What QUESTION prints.
    const { folders, ...rest } = JSON.parse(stdout) as Interpreter;
    return { ...rest, folders: folders.filter((folder) => folder !== '') };
  } catch {
    // It is no Python 3, or one that does not work: nothing could be run with it either.
    return undefined;
  }
}
