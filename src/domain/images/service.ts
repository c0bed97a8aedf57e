/**
 * Variants of uploaded images: made once, kept while they are used, gone with their file. The same variant asked for
 * many times at once is made once. What is kept is bounded for each file and in all; the least recently used go first.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock, Timers } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { type Refusal, refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import {
  isImageSource,
  maxSourcePixels,
  type Recipe,
  recipeFor,
  recipeText,
  type Transformation,
  type Variant,
} from '../../model/image.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Imaging, ImagingOutcome } from '../../ports/imaging.js';
import type { Kept, Store } from '../../ports/store.js';
import { createLateStoring } from './late-storing.js';

export interface ImageService {
  /** Refuses what can never be transformed. */
  requireImage(file: StoredFile): void;
  /** The picture, made now if it is not kept. */
  get(file: StoredFile, wish: Transformation): Promise<Picture>;
  /** The bytes of a variant were not found where they should be: the next `get` makes it again. */
  forget(variant: Variant): Promise<void>;
  /** Resolves when all that is being made is stored. */
  settle(): Promise<void>;
}

export interface Picture {
  readonly variant: Variant;
  /** Of a small one that was made just now: it may not be in the blob store yet. */
  readonly bytes: Buffer | null;
}

interface Making extends Picture {
  readonly stored: Promise<void>;
}

export interface VariantLimits {
  readonly maxPerFile: number;
  readonly maxTotalBytes: number;
}

export type ImagingObserver = (outcome: 'kept' | ImagingOutcome['kind'], durationMs: number) => void;

/** A variant counts as used again only after this time: a write for each view would cost more than the view. */
const touchAfterMs = 10 * 60_000;
/** After trimming there is room for a while: trimming on every new variant would rank all of them each time. */
const trimTo = 0.9;
const maxRemembered = 1_000;
/** What may have been bad luck is held against a picture for so long. */
const badLuckMs = 10 * 60_000;

export function createImageService(deps: {
  store: Store;
  blobs: BlobStore;
  imaging: Imaging;
  clock: Clock;
  timers: Timers;
  limits: VariantLimits;
  observe: ImagingObserver;
  onLateFault: (error: unknown) => void;
}): ImageService {
  const { store, blobs, imaging, clock, limits } = deps;
  const making = new Map<string, Promise<Making>>();
  /** Files that could not be used: asking again for a thousand sizes must not cost a thousand tries. */
  const hopeless = new Map<string, { refusal: () => Refusal; until: number }>();
  /** When making a picture last took too long. */
  const slowAt = new Map<string, number>();
  /** What may still be kept before all of it must be counted again: counting reads every row. */
  let roomBytes = 0;
  /** Pictures that a codec works on, or is to work on. */
  let awaited = 0;

  const remember = <T>(map: Map<string, T>, id: string, value: T): void => {
    map.delete(id);
    map.set(id, value);
    const oldest = map.keys().next();
    if (map.size > maxRemembered && !oldest.done) map.delete(oldest.value);
  };

  /** `lastsMs`: what was found in the bytes stays true; what may have been bad luck is tried again later. */
  const giveUp = (file: StoredFile, refusal: () => Refusal, lastsMs = Number.POSITIVE_INFINITY): never => {
    remember(hopeless, file.id, { refusal, until: clock.now() + lastsMs });
    throw refusal();
  };

  /** Codecs run when nobody else wants the core: once it may be the load, the second time the picture is blamed. */
  const tooSlow = (file: StoredFile): never => {
    const now = clock.now();
    const before = slowAt.get(file.id) ?? Number.NEGATIVE_INFINITY;
    remember(slowAt, file.id, now);
    if (now - before <= badLuckMs) return giveUp(file, refuse.imageTooSlow, badLuckMs);
    throw refuse.imagingFailed();
  };

  const refuseHopeless = (file: StoredFile): void => {
    const known = hopeless.get(file.id);
    if (known && known.until > clock.now()) throw known.refusal();
  };

  /** What the caller is told when there is no picture. */
  const refuseOutcome = async (
    file: StoredFile,
    outcome: Exclude<ImagingOutcome, { kind: 'made' }>,
  ): Promise<never> => {
    switch (outcome.kind) {
      case 'busy':
        throw refuse.busy();
      case 'missing':
        return missing(file);
      case 'crashed':
        return giveUp(file, refuse.imageBroken, badLuckMs);
      case 'refused':
        if (outcome.reason === 'too_many_pixels') {
          return giveUp(file, () => refuse.imageTooLarge(maxSourcePixels));
        }
        if (outcome.reason === 'broken') return giveUp(file, refuse.imageBroken);
        return tooSlow(file);
    }
  };

  const missing = async (file: StoredFile): Promise<never> => {
    const now = await store.files.find(file.id);
    if (!now || now.deletedAt !== null) throw refuse.fileDeleted();
    throw new Error(`The bytes of file ${file.id} are missing`);
  };

  const transform = async (file: StoredFile, recipe: Recipe) => {
    if (!isImageSource(file.mimeType)) throw refuse.notAnImage();
    const lent = await blobs.lend(file.blobKey);
    if (!lent) return missing(file);
    awaited += 1;
    try {
      const outcome = await imaging.transform({
        path: lent.path,
        sourceType: file.mimeType,
        recipe,
        owner: file.accountId,
      });
      if (outcome.kind !== 'made') return outcome;
      const { mimeType, bytes } = outcome;
      return Buffer.isBuffer(bytes) ? hold(mimeType, bytes) : await put(mimeType, bytes);
    } finally {
      awaited -= 1;
      await lent.giveBack();
    }
  };

  /** Broken off on the codec's side: it died, or its time was up. */
  const unlessBroken = async <T>(bytes: Readable, work: Promise<T>): Promise<T | { kind: 'crashed' }> => {
    try {
      return await work;
    } catch (error) {
      if (bytes.errored) return { kind: 'crashed' };
      bytes.destroy();
      throw error;
    }
  };

  const hold = (mimeType: string, held: Buffer) => ({
    kind: 'held' as const,
    mimeType,
    held,
    blobKey: newId(clock.now()),
    sizeBytes: held.length,
    sha256: createHash('sha256').update(held).digest('hex'),
  });

  const put = (mimeType: string, bytes: Readable) => {
    const blobKey = newId(clock.now());
    const hash = createHash('sha256');
    async function* observed(): AsyncGenerator<Buffer> {
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    }
    return unlessBroken(
      bytes,
      blobs.put(blobKey, Readable.from(observed(), { highWaterMark: 1 })).then(({ sizeBytes }) => ({
        kind: 'put' as const,
        mimeType,
        blobKey,
        sizeBytes,
        sha256: hash.digest('hex'),
      })),
    );
  };

  const attempt = async (file: StoredFile, recipe: Recipe) => {
    const startedAt = clock.now();
    const outcome = await transform(file, recipe);
    const isMade = outcome.kind === 'held' || outcome.kind === 'put';
    deps.observe(isMade ? 'made' : outcome.kind, clock.now() - startedAt);
    return outcome;
  };

  /** A codec may be killed from outside, for want of memory for one. Only a picture that kills the next one too is blamed. */
  const attemptTwice = async (file: StoredFile, recipe: Recipe) => {
    const outcome = await attempt(file, recipe);
    if (outcome.kind !== 'crashed') return outcome;
    // Others may have found out meanwhile: one that kills codecs costs two of them, and not two for each size of it.
    refuseHopeless(file);
    return attempt(file, recipe);
  };

  const make = async (file: StoredFile, recipe: Recipe): Promise<Making> => {
    const outcome = await attemptTwice(file, recipe);
    if (outcome.kind !== 'held' && outcome.kind !== 'put') return refuseOutcome(file, outcome);
    slowAt.delete(file.id);
    const { mimeType, blobKey, sizeBytes, sha256 } = outcome;
    const now = clock.now();
    const variant: Variant = {
      mimeType,
      blobKey,
      sizeBytes,
      sha256,
      fileId: file.id,
      recipe: recipeText(recipe),
      createdAt: now,
      usedAt: now,
    };
    if (outcome.kind === 'held') {
      // The visitor has it now: storing first took 5 ms of 60.
      return { variant, bytes: outcome.held, stored: late.add(variant, outcome.held) };
    }
    const [result] = await keep([variant]);
    if (result === 'gone') throw refuse.fileDeleted();
    const kept = result === 'kept' ? variant : await store.variants.find(file.id, variant.recipe);
    return kept ? { variant: kept, bytes: null, stored: Promise.resolve() } : make(file, recipe);
  };

  const keep = async (variants: readonly Variant[]): Promise<readonly Kept[]> => {
    const results = await store.variants.keep(variants, limits.maxPerFile);
    const isKept = (_: Variant, index: number): boolean => results[index] === 'kept';
    const kept = variants.filter(isKept);
    if (kept.length > 0) {
      void makeRoom(kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).catch(deps.onLateFault);
    }
    for (const { blobKey } of variants.filter((variant, index) => !isKept(variant, index))) {
      await blobs.remove(blobKey);
    }
    return results;
  };

  const makeRoom = async (keptBytes: number): Promise<void> => {
    roomBytes -= keptBytes;
    if (roomBytes >= 0) return;
    const totalBytes = await store.variants.totalBytes();
    roomBytes = limits.maxTotalBytes - totalBytes;
    if (totalBytes > limits.maxTotalBytes) {
      await store.variants.trim(Math.floor(limits.maxTotalBytes * trimTo), clock.now());
    }
  };

  const late = createLateStoring({
    put: ({ blobKey }, bytes) => blobs.putBytes(blobKey, bytes),
    keep,
    isBusy: () => awaited > 0,
    timers: deps.timers,
    onFault: deps.onLateFault,
  });

  return {
    requireImage(file) {
      if (!isImageSource(file.mimeType)) throw refuse.notAnImage();
    },

    async get(file, wish) {
      if (!isImageSource(file.mimeType)) throw refuse.notAnImage();
      const recipe = recipeFor(file.mimeType, wish);
      const text = recipeText(recipe);
      const kept = await store.variants.find(file.id, text);
      if (kept) {
        const now = clock.now();
        if (now - kept.usedAt > touchAfterMs) {
          void store.variants.touch(kept.blobKey, now).catch(deps.onLateFault);
        }
        deps.observe('kept', 0);
        return { variant: kept, bytes: null };
      }
      refuseHopeless(file);
      const key = `${file.id} ${text}`;
      const running = making.get(key);
      if (running) return running;
      const mine = make(file, recipe);
      making.set(key, mine);
      // Until it can be found in the store.
      void mine
        .then(({ stored }) => stored)
        .then(
          () => making.delete(key),
          () => making.delete(key),
        );
      return mine;
    },

    forget: (variant) => store.variants.markRemoved(variant.blobKey, clock.now()),

    async settle() {
      late.hurry();
      const storing = [...making.values()].map(async (picture) => (await picture).stored);
      await Promise.allSettled(storing);
    },
  };
}
