import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toBinary } from '@bufbuild/protobuf';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { RunLibrary } from '../../main/runs/run-library.ts';

/** A finished run with traces, `trace-1` the first, in a library of its own. */
export interface TracedRun {
  readonly library: RunLibrary;
  readonly run: string;
  /** All runs of the library. */
  readonly folder: string;
  remove(): Promise<void>;
}

interface Recording {
  readonly client?: string;
  /** Default: a new one. */
  readonly folder?: string;
}

export async function recordTraces(
  traces: readonly RunMetadata[],
  { client = 'client', folder: given }: Recording = {},
): Promise<TracedRun> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'lanflow-traces-')));
  const library = await RunLibrary.open({
    folder,
    versions: {},
    writeFile,
    isProcessAlive: () => true,
    log: () => {},
    listener: { onInfo: () => {}, onSamples: () => {}, onLines: () => {}, onRemoved: () => {} },
  });
  const recorder = await library.start({ title: 'Traced', program: 'traced', programTitle: 'Traced', tasks: [], cluster: {} });
  for (const [i, metadata] of traces.entries()) await recorder.addTrace(client, `step ${i}`, toBinary(RunMetadataSchema, metadata));
  await recorder.finish({ state: 'finished', outcomes: {} });
  library.settle(recorder);
  return {
    library,
    run: recorder.record.id,
    folder,
    remove: async () => {
      library.close();
      await rm(folder, { recursive: true });
    },
  };
}
