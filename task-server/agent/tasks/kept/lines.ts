const NEWLINE = 10;
/** A longer line is cut: nobody reads it, and it would fill the memory. */
const MOST_BYTES = 65_536;

export interface FoundLine {
  readonly text: string;
  /** Offset behind it. */
  readonly end: number;
}

/** Puts lines together from pieces of a file. */
export class Lines {
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** A line has begun, and has no end yet. */
  get isWithin(): boolean {
    return this.#bytes > 0;
  }

  /** The lines that end in this piece; `end` is the offset behind it. */
  split(piece: Buffer, end: number): readonly FoundLine[] {
    const found: FoundLine[] = [];
    const first = end - piece.length;
    let start = 0;
    for (let stop = piece.indexOf(NEWLINE); stop >= 0; stop = piece.indexOf(NEWLINE, start)) {
      this.#add(piece.subarray(start, stop));
      start = stop + 1;
      found.push({ text: this.#take(), end: first + start });
    }
    this.#add(piece.subarray(start));
    return found;
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    // The piece is read over; what is beyond the limit only counts.
    if (this.#bytes - piece.length < MOST_BYTES) this.#pieces.push(Buffer.from(piece));
  }

  #take(): string {
    const text = Buffer.concat(this.#pieces).toString('utf8', 0, MOST_BYTES).replace(/\r$/, '');
    this.#pieces = [];
    this.#bytes = 0;
    return text;
  }
}
