/** What one submission reserves while its body is read: memory for its text, and an upload place. Released in one go. */
import { networksAround } from '../../kernel/addresses.js';
import type { NetworkShares } from '../../kernel/network-shares.js';
import { refuse } from '../../model/errors.js';
import type { Charge, EnterUploads } from './body/body.js';
import type { UploadPlace, UploadPool } from './upload-pool.js';

/** Memory for the text of all bodies that are being read or wait to be committed. */
export const textMemory = {
  total: 256 * 1024 * 1024,
  narrow: 32 * 1024 * 1024,
  middle: 40 * 1024 * 1024,
  wide: 48 * 1024 * 1024,
};

/** Not counted for each body: with all connections this is 40 MB, and counting the usual small body took 1.5 % of its path. */
const uncountedBytes = 4 * 1024;

export class BodyBudget {
  #held = 0;
  #uncounted = uncountedBytes;
  #place: UploadPlace | undefined;

  constructor(
    private readonly ip: string,
    private readonly memory: NetworkShares,
    private readonly uploads: UploadPool,
  ) {}

  readonly charge: Charge = (bytes) => {
    if (bytes <= this.#uncounted) {
      this.#uncounted -= bytes;
      return undefined;
    }
    if (!this.memory.take(networksAround(this.ip), bytes)) return refuse.busy();
    this.#held += bytes;
    return undefined;
  };

  readonly enter: EnterUploads = (body) => {
    this.#place = this.uploads.enter(networksAround(this.ip), body);
    return this.#place.entered;
  };

  release(): void {
    if (this.#held > 0) this.memory.giveBack(networksAround(this.ip), this.#held);
    this.#held = 0;
    this.#place?.leave();
  }
}
