/**
 * Blocks of memory for bytes that are gathered and soon done with. They are used again: a new one for each upload of
 * 100 kB cost 70 µs in page faults and collected garbage, the copying into it 4.
 */
export const blockBytes = 128 * 1024;

/** As many as uploads that are busy at once leave behind; more would only be kept from others. */
const maxKept = 32;

export class ByteBlocks {
  readonly #kept: Buffer[] = [];

  /** What it holds is not defined. */
  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
  }

  /** Only by who took it, and only when nobody reads it any more. */
  giveBack(block: Buffer): void {
    if (this.#kept.length < maxKept) this.#kept.push(block);
  }
}
