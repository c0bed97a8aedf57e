/**
 * Collects the bytes of one text. A single chunk is used as is. Several are copied into one block, so that a client that sends single
 * bytes cannot pile up a buffer object for each.
 */
export class GatheredBytes {
  #block: Buffer | null = null;
  #length = 0;

  /** `isShared`: the piece is a view of a larger buffer, which would stay in memory with it. */
  add(piece: Buffer, isShared: boolean): void {
    if (this.#block === null && !isShared) {
      this.#block = piece;
      this.#length = piece.length;
      return;
    }
    const needed = this.#length + piece.length;
    if (this.#block === null || needed > this.#block.length) {
      // Doubling keeps the total cost of copying linear in the length of the text.
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#length));
      this.#block?.copy(grown, 0, 0, this.#length);
      this.#block = grown;
    }
    piece.copy(this.#block, this.#length);
    this.#length = needed;
  }

  get bytes(): Buffer {
    if (this.#block === null) return Buffer.alloc(0);
    // A view of the whole block would be one more object for every submission.
    return this.#length === this.#block.length ? this.#block : this.#block.subarray(0, this.#length);
  }
}
