import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';
import { type RunRecord, recordShape } from './run-record.ts';
import { strictJson } from './strict-json.ts';

/** Replaces a file as a whole or not at all. */
export type WriteFile = (path: string, content: string | Uint8Array) => Promise<void>;

/** Where everything of one run lies. */
export class RunFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get record(): string {
    return join(this.path, 'run.json');
  }

  get series(): string {
    return join(this.path, 'series.arrow');
  }

  get log(): string {
    return join(this.path, 'logs', 'run.ndjson');
  }

  trace(id: string): string {
    return join(this.path, 'traces', `${id}.pb`);
  }

  /** The GraphDef that a client has sent. */
  graph(client: string): string {
    return join(this.path, 'graphs', graphFile(client));
  }

  /** The clients whose graphs are kept, sorted. */
  async graphClients(): Promise<readonly string[]> {
    const files = await readdir(join(this.path, 'graphs')).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return files
      .filter((file) => file.endsWith('.pb'))
      .map(clientOfGraph)
      .sort();
  }

  async create(): Promise<void> {
    for (const folder of ['logs', 'traces']) await mkdir(join(this.path, folder), { recursive: true, mode: 0o700 });
  }

  /** Rejects with INVALID_ARGUMENT, naming the place, when it is no record of a run. */
  async readRecord(): Promise<RunRecord> {
    const json = await readFile(this.record, 'utf8');
    try {
      return recordShape(JSON.parse(json), 'run.json');
    } catch (error) {
      throw invalidArgument(`${this.record} is no record of a run: ${toStatusError(error).message}`, { cause: error });
    }
  }

  writeRecord(record: RunRecord, writeFile: WriteFile): Promise<void> {
    return writeFile(this.record, `${strictJson(record, 2)}\n`);
  }
}

/** What may lie in the folder of a run, and so in a bundle. */
export const RUN_FILES =
  /^(?:run\.json|series\.arrow|graphs\/\w[\w.-]*\.pb|traces\/[A-Za-z0-9][\w.-]*\.pb|logs\/[A-Za-z0-9][\w.-]*\.ndjson)$/;

/** As a file's name on every system: whatever is not a letter, a digit, a dot or a hyphen is `_` and two hex digits for each byte. */
function graphFile(client: string): string {
  const bytes = Buffer.from(client);
  const safe = Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9.-]/.test(char) ? char : `_${byte.toString(16).padStart(2, '0')}`;
  });
  return `${safe.join('')}.pb`;
}

function clientOfGraph(file: string): string {
  const bytes = file
    .slice(0, -'.pb'.length)
    .replaceAll(/_([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
