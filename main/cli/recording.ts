import { release, type } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { toStatusError } from '#proto/wire/status.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Recorder } from '../runs/recorder.ts';
import { type NewRun, startRecording } from '../runs/start-recording.ts';
import { ownDataFolder } from '../store/data-folder.ts';
import type { Terminal } from './terminal.ts';

/**
 * Begins to record a run where the app keeps its runs, so that it shows there while it goes on. Undefined, with a warning, when that
 * is not possible: a run does not depend on being recorded.
 */
export async function recordHere(run: NewRun, terminal: Terminal): Promise<Recorder | undefined> {
  const folder = join(ownDataFolder(), 'runs');
  try {
    return await startRecording(run, {
      folder,
      writeFile: writeFileAtomically,
      versions: { Lanflow: packageJson.version, Node: process.versions.node, 'Operating system': `${type()} ${release()}` },
      listener: {
        onInfo: () => undefined,
        onSamples: () => undefined,
        onLines: () => undefined,
        onTrouble: (text) => terminal.log(text),
      },
    });
  } catch (error) {
    terminal.log(`This run is not recorded: ${toStatusError(error).message}`);
    return undefined;
  }
}
