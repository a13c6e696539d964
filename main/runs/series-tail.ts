import { type FileHandle, open } from 'node:fs/promises';
import { Message, MessageHeader, type RecordBatch, RecordBatchReader } from 'apache-arrow';

/** Bytes before a message's metadata: a mark, and the length of the metadata. */
const PREFIX = 8;
/** Read at once. */
const PIECE_BYTES = 2 ** 22;

const NOTHING = new Uint8Array();

/** Reads an Arrow stream while another process writes it, batch by batch, each as soon as it is there in full. */
export class SeriesTail {
  readonly #path: string;
  /** Whole messages that the reader has not taken yet. */
  readonly #messages: Uint8Array[] = [];
  #reader: Iterator<RecordBatch> | undefined;
  #read = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** The batches that are new since the last call; none while there is no file. Throws when the file is no such stream. */
  async *batches(): AsyncGenerator<RecordBatch> {
    const file = await open(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return;
    try {
      while (await this.#readPiece(file)) yield* this.#wholeBatches();
    } finally {
      await file.close();
    }
  }

  async #readPiece(file: FileHandle): Promise<boolean> {
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, this.#read);
    this.#read += bytesRead;
    this.#rest = Buffer.concat([this.#rest, piece.subarray(0, bytesRead)]);
    return bytesRead > 0;
  }

  *#wholeBatches(): Generator<RecordBatch> {
    for (let size = this.#messageSize(); size > 0; size = this.#messageSize()) {
      const message = this.#rest.subarray(0, size);
      this.#rest = this.#rest.subarray(size);
      this.#messages.push(message);
      if (headerOf(message) !== MessageHeader.RecordBatch) continue;
      this.#reader ??= RecordBatchReader.from(this.#taken())[Symbol.iterator]();
      const { value, done } = this.#reader.next();
      if (!done) yield value;
    }
  }

  /** Of the first message; 0 when it is not there in full, and for the mark that ends the stream. */
  #messageSize(): number {
    if (this.#rest.length < PREFIX) return 0;
    const metadata = this.#rest.readInt32LE(PREFIX / 2);
    if (metadata <= 0 || this.#rest.length < PREFIX + metadata) return 0;
    const size = PREFIX + metadata + Number(Message.decode(this.#rest.subarray(PREFIX, PREFIX + metadata)).bodyLength);
    return this.#rest.length < size ? 0 : size;
  }

  /** Endless, as the reader would take an end for that of the stream. It sometimes asks for more than it needs, and then gets nothing. */
  *#taken(): Generator<Uint8Array> {
    for (;;) yield this.#messages.shift() ?? NOTHING;
  }
}

function headerOf(message: Buffer): MessageHeader {
  return Message.decode(message.subarray(PREFIX, PREFIX + message.readInt32LE(PREFIX / 2))).headerType;
}
