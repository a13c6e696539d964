import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';

/** One run of one node, as both an exported file and the recorded step stats tell it. Times in whole microseconds. */
interface Slice {
  readonly device: string;
  readonly node: string;
  readonly start: number;
  readonly duration: number;
}

interface ChromeEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, string>>;
}

interface ChromeFile {
  readonly traceEvents: readonly ChromeEvent[];
  readonly otherData: { readonly clocks: Readonly<Record<string, { readonly offset_us: number }>> };
}

/** What a Chrome trace file shows, by device name and time: that of the device's own clock, as it was recorded. */
export function slicesInFile(content: Buffer): readonly Slice[] {
  const { traceEvents, otherData } = JSON.parse(content.toString()) as ChromeFile;
  const devices = new Map(traceEvents.filter(({ name }) => name === 'process_name').map(({ pid, args }) => [pid, args['name'] ?? '']));
  const slices = traceEvents.filter(({ ph }) => ph === 'X');
  return sorted(
    slices.map(({ pid, ts, dur, args }) => {
      const device = devices.get(pid) ?? '';
      const start = ts + (otherData.clocks[device]?.offset_us ?? 0);
      return { device, node: args['name'] ?? '', start, duration: wholeMicros(dur) };
    }),
  );
}

/** What the only trace of the only run in this data folder has recorded. */
export function slicesRecorded(dataFolder: string): readonly Slice[] {
  const traces = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' }).filter((path) => /[\\/]traces[\\/].*\.pb$/.test(path));
  const [path = ''] = traces;
  if (traces.length !== 1) throw new Error(`There are ${traces.length} traces in ${dataFolder}`);
  const { stepStats } = fromBinary(RunMetadataSchema, readFileSync(join(dataFolder, path)));
  return sorted(
    (stepStats?.devStats ?? []).flatMap(({ device, nodeStats }) =>
      nodeStats.map(({ nodeName, allStartMicros, allEndRelMicros }) => ({
        device,
        node: nodeName,
        start: Number(allStartMicros),
        duration: Number(allEndRelMicros),
      })),
    ),
  );
}

/** The file has fractions, as differences of large numbers. */
function wholeMicros(duration: number): number {
  return Math.floor(duration + 1e-3);
}

function sorted(slices: readonly Slice[]): readonly Slice[] {
  const key = ({ device, start, node }: Slice): string => `${device} ${start} ${node}`;
  return slices.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
