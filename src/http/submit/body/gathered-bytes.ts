/**
 * The bytes of one text, as they come in. A text that comes in one piece is kept as it is; of many pieces one block is
 * made, so that a client who sends single bytes cannot pile up a buffer object for each.
 */
export class GatheredBytes {
  #block: Buffer | null = null;
  #length = 0;

  /** `isShared`: the piece is a window into a larger buffer, which keeping it would keep too. */
  add(piece: Buffer, isShared: boolean): void {
    if (this.#block === null && !isShared) {
      this.#block = piece;
      this.#length = piece.length;
      return;
    }
    const needed = this.#length + piece.length;
    if (this.#block === null || needed > this.#block.length) {
      // Doubling keeps all copying together linear in the length of the text.
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#length));
      this.#block?.copy(grown, 0, 0, this.#length);
      this.#block = grown;
    }
    piece.copy(this.#block, this.#length);
    this.#length = needed;
  }

  get bytes(): Buffer {
    if (this.#block === null) return Buffer.alloc(0);
    // A window of the whole would be one more object for every submission.
    return this.#length === this.#block.length ? this.#block : this.#block.subarray(0, this.#length);
  }
}
