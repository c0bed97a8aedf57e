/** Remembers images that could not be transformed: requesting a thousand sizes of one must not cost a thousand attempts. */
import type { Clock } from '../../kernel/clock.js';
import { type Refusal, refuse } from '../../model/errors.js';
import { maxSourcePixels } from '../../model/image.js';
import type { ImagingOutcome } from '../../ports/imaging.js';

const maxRemembered = 1_000;
/** How long a failure with a possible other cause counts. A failure found in the bytes is permanent. */
const doubtMs = 10 * 60_000;

export class ImageFailures {
  readonly #known = new Map<string, { readonly refusal: () => Refusal; readonly until: number }>();
  /** When an image last took too long. */
  readonly #slowAt = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Throws if the image failed before. */
  refuseKnown(fileId: string): void {
    const known = this.#known.get(fileId);
    if (known && known.until > this.clock.now()) throw known.refusal();
  }

  succeeded(fileId: string): void {
    this.#slowAt.delete(fileId);
  }

  refuse(fileId: string, outcome: Exclude<ImagingOutcome, { kind: 'made' | 'missing' }>): never {
    if (outcome.kind === 'busy') throw refuse.busy();
    if (outcome.kind === 'crashed') return this.#giveUp(fileId, refuse.imageBroken, doubtMs);
    switch (outcome.reason) {
      case 'too_many_pixels':
        return this.#giveUp(fileId, () => refuse.imageTooLarge(maxSourcePixels));
      case 'broken':
        return this.#giveUp(fileId, refuse.imageBroken);
      case 'too_slow':
        return this.#refuseSlow(fileId);
    }
  }

  /** Codecs run at idle priority: the first timeout may be due to load, the second is due to the image. */
  #refuseSlow(fileId: string): never {
    const now = this.clock.now();
    const before = this.#slowAt.get(fileId) ?? Number.NEGATIVE_INFINITY;
    remember(this.#slowAt, fileId, now);
    if (now - before <= doubtMs) return this.#giveUp(fileId, refuse.imageTooSlow, doubtMs);
    throw refuse.imagingFailed();
  }

  #giveUp(fileId: string, refusal: () => Refusal, lastsMs = Number.POSITIVE_INFINITY): never {
    remember(this.#known, fileId, { refusal, until: this.clock.now() + lastsMs });
    throw refusal();
  }
}

function remember<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  const oldest = map.keys().next();
  if (map.size > maxRemembered && !oldest.done) map.delete(oldest.value);
}
