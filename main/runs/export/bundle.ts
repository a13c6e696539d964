import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import { Zip, ZipDeflate } from 'fflate';
import { RUN_FILES } from '../run-folder.ts';
import type { ExportRun } from './export-source.ts';

/**
 * The run's folder, zipped: opens in Lanflow on another machine, and in anything that reads zip files. Its ending is one that systems
 * know as Lanflow's.
 */
export const exportBundle: ExportRun = async ({ record, folder }) => {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const name of await runFiles(folder.path)) {
    const file = new ZipDeflate(`${record.id}/${name}`);
    zip.add(file);
    for await (const chunk of createReadStream(join(folder.path, name)) as AsyncIterable<Buffer>) {
      file.push(chunk);
      await otherWork();
    }
    file.push(new Uint8Array(), true);
  }
  zip.end();
  return { name: `${record.id}.lanflowrun`, content: Buffer.concat(chunks) };
};

/** Names below the folder, with `/`. */
async function runFiles(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll(sep, '/'));
  return names.filter((name) => RUN_FILES.test(name)).sort();
}
