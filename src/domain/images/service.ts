/**
 * Variants of uploaded images: made once, stored while they are used, deleted with their file. Concurrent requests for one
 * variant share one job. Storage is limited per file and in total; the least recently used variants are removed first.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock, Timers } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import {
  type ImageSourceType,
  isImageSource,
  type Recipe,
  recipeFor,
  recipeText,
  type Transformation,
  type Variant,
} from '../../model/image.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Kept } from '../../ports/files.js';
import type { Imaging, ImagingOutcome } from '../../ports/imaging.js';
import type { Store } from '../../ports/store.js';
import { ImageFailures } from './failures.js';
import { createLateStoring } from './late-storing.js';

export interface Picture {
  readonly variant: Variant;
  /** Set for a small variant that was just made, because it may not be in the blob store yet. */
  readonly bytes: Buffer | null;
}

interface Making extends Picture {
  readonly stored: Promise<void>;
}

interface Job {
  readonly file: StoredFile;
  readonly sourceType: ImageSourceType;
  readonly recipe: Recipe;
}

type NotMade = Exclude<ImagingOutcome, { kind: 'made' }>;

/** `bytes` is null when they are in the blob store. */
type Made = Pick<Variant, 'mimeType' | 'blobKey' | 'sizeBytes' | 'sha256'> & {
  readonly kind: 'made';
  readonly bytes: Buffer | null;
};

/** How often `usedAt` is updated at most: a write for each view would cost more than the view. */
const touchAfterMs = 10 * 60_000;
/** Trimming frees room for a while: trimming on every new variant would rank all of them each time. */
const trimTo = 0.9;

function sourceTypeOf({ mimeType }: StoredFile): ImageSourceType {
  if (!isImageSource(mimeType)) throw refuse.notAnImage();
  return mimeType;
}

/** Throws if the file was deleted since it was found. */
export async function requireNotDeleted(store: Store, { id }: StoredFile): Promise<void> {
  const now = await store.files.findAny(id);
  if (!now || now.deletedAt !== null) throw refuse.fileDeleted();
}

export async function refuseMissing(store: Store, file: StoredFile): Promise<never> {
  await requireNotDeleted(store, file);
  throw new Error(`The bytes of file ${file.id} are missing`);
}

export class ImageService {
  readonly #making = new Map<string, Promise<Making>>();
  readonly #failures: ImageFailures;
  readonly #late;
  /** Bytes that may still be stored before the total must be counted again. Counting reads every row. */
  #roomBytes = 0;
  /** Images that a codec is working on, or that wait for one. */
  #awaited = 0;

  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly blobs: BlobStore;
      readonly imaging: Imaging;
      readonly clock: Clock;
      readonly timers: Timers;
      readonly limits: { readonly maxPerFile: number; readonly maxTotalBytes: number };
      readonly observe: (outcome: 'kept' | ImagingOutcome['kind'], durationMs: number) => void;
      readonly onLateFault: (error: unknown) => void;
    },
  ) {
    this.#failures = new ImageFailures(deps.clock);
    this.#late = createLateStoring({
      put: ({ blobKey }, bytes) => deps.blobs.putBytes(blobKey, bytes),
      keep: (variants) => this.#keep(variants),
      isBusy: () => this.#awaited > 0,
      timers: deps.timers,
      onFault: deps.onLateFault,
    });
  }

  /** Throws if the file can never be transformed. */
  requireImage(file: StoredFile): void {
    sourceTypeOf(file);
  }

  /** Returns the stored variant, or makes it. */
  async get(file: StoredFile, transformation: Transformation): Promise<Picture> {
    const sourceType = sourceTypeOf(file);
    const recipe = recipeFor(sourceType, transformation);
    const key = `${file.id} ${recipeText(recipe)}`;
    // Checked before the lookup too: a job may finish during the lookup, which misses it, and the variant would be made again.
    const making = this.#making.get(key);
    if (making) return making;
    const stored = await this.deps.store.variants.find(file.id, recipeText(recipe));
    if (stored) return this.#use(stored);
    this.#failures.refuseKnown(file.id);
    return this.#making.get(key) ?? this.#begin(key, { file, sourceType, recipe });
  }

  /** For a variant whose bytes are missing: the next `get` makes it again. */
  forget(variant: Variant): Promise<void> {
    return this.deps.store.variants.markRemoved(variant.blobKey, this.deps.clock.now());
  }

  /** Resolves when every variant being made is stored. */
  async settle(): Promise<void> {
    this.#late.hurry();
    await Promise.allSettled([...this.#making.values()].map(async (picture) => (await picture).stored));
  }

  #use(variant: Variant): Picture {
    const { store, clock, observe, onLateFault } = this.deps;
    const now = clock.now();
    if (now - variant.usedAt > touchAfterMs) {
      void store.variants.touch(variant.blobKey, now).catch(onLateFault);
    }
    observe('kept', 0);
    return { variant, bytes: null };
  }

  #begin(key: string, job: Job): Promise<Making> {
    const making = this.#make(job);
    this.#making.set(key, making);
    const end = (): boolean => this.#making.delete(key);
    // The job is shared until the variant can be found in the store.
    void making.then(({ stored }) => stored).then(end, end);
    return making;
  }

  async #make(job: Job): Promise<Making> {
    const { file, recipe } = job;
    const outcome = await this.#attemptTwice(job);
    if (outcome.kind === 'missing') return refuseMissing(this.deps.store, file);
    if (outcome.kind !== 'made') return this.#failures.refuse(file.id, outcome);
    this.#failures.succeeded(file.id);
    const { kind: _, bytes, ...made } = outcome;
    const now = this.deps.clock.now();
    const variant = { ...made, fileId: file.id, recipe: recipeText(recipe), createdAt: now, usedAt: now };
    // The visitor gets it before it is stored: storing first took 5 ms of 60.
    if (bytes) return { variant, bytes, stored: this.#late.add(variant, bytes) };
    const [result] = await this.#keep([variant]);
    if (result === 'gone') throw refuse.fileDeleted();
    const kept = result === 'kept' ? variant : await this.deps.store.variants.find(file.id, variant.recipe);
    return kept ? { variant: kept, bytes: null, stored: Promise.resolve() } : this.#make(job);
  }

  /** A codec may be killed from outside, such as for lack of memory. An image is blamed only if it kills the next one too. */
  async #attemptTwice(job: Job): Promise<Made | NotMade> {
    const outcome = await this.#attempt(job);
    if (outcome.kind !== 'crashed') return outcome;
    // Another request may have failed twice meanwhile: an image that kills codecs costs two of them, not two per size.
    this.#failures.refuseKnown(job.file.id);
    return this.#attempt(job);
  }

  async #attempt(job: Job): Promise<Made | NotMade> {
    const { clock, observe } = this.deps;
    const startedAt = clock.now();
    const outcome = await this.#transform(job);
    observe(outcome.kind, clock.now() - startedAt);
    return outcome;
  }

  async #transform({ file, sourceType, recipe }: Job): Promise<Made | NotMade> {
    const { blobs, imaging } = this.deps;
    const lent = await blobs.lend(file.blobKey);
    if (!lent) return refuseMissing(this.deps.store, file);
    this.#awaited += 1;
    try {
      const { path } = lent;
      const outcome = await imaging.transform({ path, sourceType, recipe, owner: file.accountId });
      if (outcome.kind !== 'made') return outcome;
      const { mimeType, bytes } = outcome;
      return Buffer.isBuffer(bytes) ? this.#hold(mimeType, bytes) : await this.#put(mimeType, bytes);
    } finally {
      this.#awaited -= 1;
      await lent.giveBack();
    }
  }

  #hold(mimeType: string, bytes: Buffer): Made {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const blobKey = newId(this.deps.clock.now());
    return { kind: 'made', mimeType, blobKey, sizeBytes: bytes.length, sha256, bytes };
  }

  async #put(mimeType: string, source: Readable): Promise<Made | NotMade> {
    const blobKey = newId(this.deps.clock.now());
    const hash = createHash('sha256');
    async function* observed(): AsyncGenerator<Buffer> {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    }
    try {
      const bytes = Readable.from(observed(), { highWaterMark: 1 });
      const { sizeBytes } = await this.deps.blobs.put(blobKey, bytes);
      return { kind: 'made', mimeType, blobKey, sizeBytes, sha256: hash.digest('hex'), bytes: null };
    } catch (error) {
      // The codec died or timed out.
      if (source.errored) return { kind: 'crashed' };
      source.destroy();
      throw error;
    }
  }

  async #keep(variants: readonly Variant[]): Promise<readonly Kept[]> {
    const { store, blobs, limits, onLateFault } = this.deps;
    const results = await store.variants.keep(variants, limits.maxPerFile);
    const [kept, refused] = [
      variants.filter((_, index) => results[index] === 'kept'),
      variants.filter((_, index) => results[index] !== 'kept'),
    ];
    const keptBytes = kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (kept.length > 0) void this.#makeRoom(keptBytes).catch(onLateFault);
    for (const { blobKey } of refused) await blobs.remove(blobKey);
    return results;
  }

  async #makeRoom(keptBytes: number): Promise<void> {
    const { store, clock, limits } = this.deps;
    this.#roomBytes -= keptBytes;
    if (this.#roomBytes >= 0) return;
    const totalBytes = await store.variants.totalBytes();
    this.#roomBytes = limits.maxTotalBytes - totalBytes;
    if (totalBytes <= limits.maxTotalBytes) return;
    await store.variants.trim(Math.floor(limits.maxTotalBytes * trimTo), clock.now());
  }
}
