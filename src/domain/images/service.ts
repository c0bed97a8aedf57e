/**
 * Variants of uploaded images: made once, kept while they are used, gone with their file. The same variant asked for
 * many times at once is made once. What is kept is bounded for each file and in all; the least recently used go first.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.js';
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
import type { Store } from '../../ports/store.js';

export interface ImageService {
  /** Refuses what can never be transformed. */
  requireImage(file: StoredFile): void;
  /** The variant, made now if it is not kept. */
  get(file: StoredFile, wish: Transformation): Promise<Variant>;
  /** The bytes of a variant were not found where they should be: the next `get` makes it again. */
  forget(variant: Variant): Promise<void>;
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
const crashesBeforeRefusal = 2;
const badLuckMs = 10 * 60_000;

export function createImageService(deps: {
  store: Store;
  blobs: BlobStore;
  imaging: Imaging;
  clock: Clock;
  limits: VariantLimits;
  observe: ImagingObserver;
  onLateFault: (error: unknown) => void;
}): ImageService {
  const { store, blobs, imaging, clock, limits } = deps;
  const making = new Map<string, Promise<Variant>>();
  /** Files that could not be used: asking again for a thousand sizes must not cost a thousand tries. */
  const hopeless = new Map<string, { refusal: () => Refusal; until: number }>();
  const crashes = new Map<string, number>();

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
      case 'crashed': {
        const count = (crashes.get(file.id) ?? 0) + 1;
        remember(crashes, file.id, count);
        if (count >= crashesBeforeRefusal) return giveUp(file, refuse.imageBroken, badLuckMs);
        throw refuse.imagingFailed();
      }
      case 'refused':
        if (outcome.reason === 'too_many_pixels') {
          return giveUp(file, () => refuse.imageTooLarge(maxSourcePixels));
        }
        if (outcome.reason === 'broken') return giveUp(file, refuse.imageBroken);
        return giveUp(file, refuse.imageTooSlow, badLuckMs);
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
    try {
      const outcome = await imaging.transform({ path: lent.path, sourceType: file.mimeType, recipe });
      return outcome.kind === 'made' ? await put(outcome) : outcome;
    } finally {
      await lent.giveBack();
    }
  };

  const put = async ({ mimeType, bytes }: Extract<ImagingOutcome, { kind: 'made' }>) => {
    const blobKey = newId(clock.now());
    const hash = createHash('sha256');
    async function* observed(): AsyncGenerator<Buffer> {
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    }
    try {
      const { sizeBytes } = await blobs.put(blobKey, Readable.from(observed(), { highWaterMark: 1 }));
      return { kind: 'put' as const, mimeType, blobKey, sizeBytes, sha256: hash.digest('hex') };
    } catch (error) {
      // Broken off on the codec's side: it died, or its time was up.
      if (bytes.errored) return { kind: 'crashed' as const };
      bytes.destroy();
      throw error;
    }
  };

  const make = async (file: StoredFile, recipe: Recipe): Promise<Variant> => {
    const startedAt = clock.now();
    const outcome = await transform(file, recipe);
    deps.observe(outcome.kind === 'put' ? 'made' : outcome.kind, clock.now() - startedAt);
    if (outcome.kind !== 'put') return refuseOutcome(file, outcome);
    crashes.delete(file.id);
    const { kind: _, ...bytes } = outcome;
    const now = clock.now();
    const variant: Variant = {
      ...bytes,
      fileId: file.id,
      recipe: recipeText(recipe),
      createdAt: now,
      usedAt: now,
    };
    const result = await store.variants.keep(variant, limits.maxPerFile);
    if (result === 'kept') {
      void makeRoom().catch(deps.onLateFault);
      return variant;
    }
    await blobs.remove(variant.blobKey);
    if (result === 'gone') throw refuse.fileDeleted();
    return (await store.variants.find(file.id, variant.recipe)) ?? (await make(file, recipe));
  };

  const makeRoom = async (): Promise<void> => {
    if ((await store.variants.totalBytes()) > limits.maxTotalBytes) {
      await store.variants.trim(Math.floor(limits.maxTotalBytes * trimTo), clock.now());
    }
  };

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
        return kept;
      }
      const known = hopeless.get(file.id);
      if (known && known.until > clock.now()) throw known.refusal();
      const key = `${file.id} ${text}`;
      const running = making.get(key);
      if (running) return running;
      const mine = make(file, recipe).finally(() => making.delete(key));
      making.set(key, mine);
      return mine;
    },

    forget: (variant) => store.variants.markRemoved(variant.blobKey, clock.now()),
  };
}
