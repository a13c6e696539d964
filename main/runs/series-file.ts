import { readFile } from 'node:fs/promises';
import {
  AsyncByteQueue,
  type Data,
  Dictionary,
  Field,
  Float64,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchReader,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import type { GrowingColumns, Sample } from './columns.ts';
import type { SeriesStore } from './series-store.ts';

type Names = Dictionary<Utf8, Int32>;
/** Names by number, told to the file once: each batch brings those that are new. */
class NameTable {
  readonly type: Names;
  readonly #numbers = new Map<string, number>();
  readonly #chunks: Data<Utf8>[] = [];
  #fresh: string[] = [];

  constructor(id: number) {
    this.type = new Dictionary(new Utf8(), new Int32(), id);
  }

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(name, number);
    this.#fresh.push(name);
    return number;
  }

  column(numbers: readonly number[]): Data<Names> {
    if (this.#fresh.length > 0) this.#chunks.push(...vectorFromArray(this.#fresh, new Utf8()).data);
    this.#fresh = [];
    const dictionary = new Vector([...this.#chunks]);
    return makeData({ type: this.type, length: numbers.length, nullCount: 0, data: Int32Array.from(numbers), dictionary });
  }
}

/** Where the writer puts its bytes until they are taken. */
class ByteCollector extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(Uint8Array.from(chunk));
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return bytes;
  }
}

/** Turns samples into an Arrow stream, batch by batch. */
export class SeriesEncoder {
  readonly #clients = new NameTable(0);
  readonly #names = new NameTable(1);
  readonly #bytes = new ByteCollector();
  readonly #writer = new RecordBatchStreamWriter({ autoDestroy: false });
  readonly #schema: Schema;
  #rows: { readonly client: number; readonly name: number; readonly sample: Sample }[] = [];

  constructor() {
    // Times count in milliseconds from the Unix epoch.
    const field = <T extends Names | Float64>(name: string, type: T) => new Field(name, type, false);
    this.#schema = new Schema([
      field('client', this.#clients.type),
      field('series', this.#names.type),
      field('step', new Float64()),
      field('value', new Float64()),
      field('time', new Float64()),
    ]);
    this.#writer.reset(this.#bytes, this.#schema);
  }

  add(client: string, name: string, sample: Sample): void {
    this.#rows.push({ client: this.#clients.numberOf(client), name: this.#names.numberOf(name), sample });
  }

  /** The next part of the stream, with all samples that were added since the last one. */
  takeBatch(): Uint8Array {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return new Uint8Array();
    const numbers = (of: (sample: Sample) => number): Data<Float64> =>
      makeData({
        type: new Float64(),
        length: rows.length,
        nullCount: 0,
        data: Float64Array.from(rows, ({ sample }) => of(sample)),
      });
    const children = [
      this.#clients.column(rows.map(({ client }) => client)),
      this.#names.column(rows.map(({ name }) => name)),
      numbers(({ step }) => step),
      numbers(({ value }) => value),
      numbers(({ time }) => time),
    ];
    const type = new Struct(this.#schema.fields);
    this.#writer.write(new RecordBatch(this.#schema, makeData({ type, length: rows.length, nullCount: 0, children })));
    return this.#bytes.take();
  }

  /** What ends the stream. */
  finish(): Uint8Array {
    this.#writer.finish();
    return this.#bytes.take();
  }
}

/**
 * Reads a stream into `store`, batch by batch. A last batch that is not whole (the recorder was cut off) is left out; false
 * is returned then.
 */
export async function readSeriesFile(path: string, store: SeriesStore): Promise<boolean> {
  const bytes = await readFile(path);
  if (bytes.length === 0) return true;
  try {
    for (const batch of RecordBatchReader.from(bytes)) addBatch(batch, store);
    return true;
  } catch (error) {
    // Arrow's reader has no error class of its own for a stream that ends too early.
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Throws TypeError when it is no batch of samples. */
export function addBatch(batch: RecordBatch, store: SeriesStore): void {
  const [clients, names, steps, values, times] = ['client', 'series', 'step', 'value', 'time'].map((name) => batch.getChild(name)?.data[0]);
  if (!clients || !names || !steps || !values || !times) throw new TypeError('not a stream of samples');
  // The file may come from anywhere.
  if (batch.numRows > Math.min(...[clients, names, steps, values, times].map((column) => column.values.length)))
    throw new TypeError('a batch lacks rows');
  // Rows of one series are told by two numbers, which is faster than by two texts.
  const known = new Map<number, GrowingColumns>();
  const width = names.dictionary?.length ?? 0;
  for (let row = 0; row < batch.numRows; row++) {
    const [client, name] = [Number(clients.values[row]), Number(names.values[row])];
    const key = client * width + name;
    const columns = known.get(key) ?? store.columns(String(clients.dictionary?.get(client)), String(names.dictionary?.get(name)));
    known.set(key, columns);
    columns.push({ step: Number(steps.values[row]), value: Number(values.values[row]), time: Number(times.values[row]) });
  }
}
