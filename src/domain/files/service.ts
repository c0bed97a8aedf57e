/** Reading files back: who may, where from, as what, and what is left of a deleted one. */
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import { type Transformation, transformationText, type Variant, variantFilename } from '../../model/image.js';
import { plans } from '../../model/plans.js';
import type { BlobStore, ByteRange, LinkTerms } from '../../ports/blobs.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';
import type { ImageService } from '../images/service.js';
import { type Content, type RecentContent, RecentContents, smallBytes } from './recent.js';
import type { FileTokens, TokenPurpose } from './tokens.js';

/** The redirect is followed at once; a minute covers slow clients and skewed clocks. */
const contentTokenLifeMs = 60_000;
/** For those who are sent to the blob store itself: time for a slow client to begin, and to ask for the rest of a large file. */
const linkLifeMs = 5 * 60_000;

/** How a caller of a file endpoint proves that they may see it. */
export type FileCredential =
  | { readonly kind: 'principal'; readonly principal: Principal }
  | { readonly kind: 'token'; readonly token: string };

/** Where the bytes are fetched: from us, with a token for `content`; or from the blob store, at a link of its own. */
export type Download =
  | { readonly kind: 'content'; readonly token: string }
  | { readonly kind: 'link'; readonly url: string };

/** How a file is to be called where it is not we who hand it out. */
export type Presentation = (file: {
  readonly filename: string;
  readonly mimeType: string;
}) => Omit<LinkTerms, 'expiresInSeconds'>;

export interface FileService {
  get(credential: FileCredential, id: string): Promise<StoredFile>;
  /** A fresh token for the file's download_url. */
  accessToken(fileId: string): string;
  /** Once it is certain that there will be something to read. Without a presentation it is never a link. */
  download(
    credential: FileCredential,
    id: string,
    wish: Transformation | null,
    present: Presentation | null,
  ): Promise<Download>;
  /** A token for `download` that others may have, for nothing but the given picture if one is given. */
  share(
    principal: Principal,
    id: string,
    wish: Transformation | null,
    lifeMs: number | null,
  ): Promise<{ token: string; expiresAt: number }>;
  /** What a token for `content` opens. */
  open(token: string, id: string, wish: Transformation | null): Promise<Content>;
  delete(principal: Principal, id: string): Promise<void>;
}

export function createFileService(deps: {
  store: Store;
  blobs: BlobStore;
  images: ImageService;
  tokens: FileTokens;
  signals: Signals;
  clock: Clock;
  accessTokenLifeMs: number;
  upgradeUrl: string;
}): FileService {
  const { store, blobs, images, tokens, signals, clock } = deps;
  const recent = new RecentContents(clock);
  signals.subscribe('files-changed', () => recent.clear());
  // A deleted form or project takes its files along.
  signals.subscribe('intake-changed', () => recent.clear());

  const textOf = (wish: Transformation | null): string | null => (wish ? transformationText(wish) : null);

  const keyOf = (id: string, wish: Transformation | null): string => `${id} ${textOf(wish) ?? ''}`;

  const opens = (
    token: string,
    fileId: string,
    purpose: TokenPurpose,
    wish: Transformation | null,
  ): boolean => {
    const isGood = (transformation: string | null): boolean =>
      tokens.isGood(token, { fileId, purpose, transformation }, clock.now());
    // An access token that is bound to nothing is good for every picture; a content token only for its own.
    return isGood(textOf(wish)) || (purpose === 'access' && wish !== null && isGood(null));
  };

  /** In this order: a stranger learns nothing about ids, an owner learns everything. */
  const find = async (credential: FileCredential, id: string, isGood: (token: string) => boolean) => {
    if (credential.kind === 'token' && !isGood(credential.token)) throw refuse.fileForbidden();
    const file = isUuid(id) ? await store.files.find(id) : null;
    if (!file) throw refuse.fileNotFound();
    if (credential.kind === 'principal' && credential.principal.accountId !== file.accountId) {
      throw refuse.fileForbidden();
    }
    if (file.deletedAt !== null) throw refuse.fileDeleted();
    return file;
  };

  const requireTransformable = async (file: StoredFile, credential: FileCredential): Promise<void> => {
    images.requireImage(file);
    const plan =
      credential.kind === 'principal'
        ? credential.principal.plan
        : (await store.accounts.find(file.accountId))?.plan;
    if (!plan || !plans[plan].imageTransformation) throw refuse.transformationNeedsPlan(deps.upgradeUrl);
  };

  /** Something was deleted while a picture was made; it may have been this file. */
  const requireThere = async ({ id }: StoredFile): Promise<void> => {
    const now = await store.files.find(id);
    if (!now || now.deletedAt !== null) throw refuse.fileDeleted();
  };

  const missingBytes = async (file: StoredFile): Promise<never> => {
    const now = await store.files.find(file.id);
    if (!now || now.deletedAt !== null) throw refuse.fileDeleted();
    throw new Error(`The bytes of file ${file.id} are missing`);
  };

  const original = (file: StoredFile): Content => ({
    filename: file.filename,
    mimeType: file.mimeType,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    modifiedAt: file.uploadedAt,
    isOurs: false,
    read: async (range) => (await blobs.open(file.blobKey, range)) ?? missingBytes(file),
  });

  const picture = (file: StoredFile, wish: Transformation, variant: Variant): Content => {
    return {
      filename: variantFilename(file.filename, variant.mimeType),
      mimeType: variant.mimeType,
      sizeBytes: variant.sizeBytes,
      sha256: variant.sha256,
      modifiedAt: variant.createdAt,
      isOurs: true,
      async read(range) {
        const kept = await blobs.open(variant.blobKey, range);
        if (kept) return kept;
        // A backup has the rows of variants but not their bytes; and one may be trimmed at this very moment.
        await images.forget(variant);
        const { variant: again, bytes: made } = await images.get(file, wish);
        if (made && again.sha256 === variant.sha256) return slice(made, range);
        const bytes = again.sha256 === variant.sha256 ? await blobs.open(again.blobKey, range) : null;
        if (!bytes) throw refuse.imagingFailed();
        return bytes;
      },
    };
  };

  /** null where all bytes go through us. A link never outlives the token that it was asked for with. */
  const linkFor = (credential: FileCredential, present: Presentation | null) => {
    const link = blobs.link?.bind(blobs);
    if (!link || !present) return null;
    const restMs = credential.kind === 'token' ? tokens.expiryOf(credential.token) - clock.now() : linkLifeMs;
    const expiresInSeconds = Math.max(1, Math.floor(Math.min(linkLifeMs, restMs) / 1000));
    return (blobKey: string, file: Parameters<Presentation>[0]) =>
      link(blobKey, { ...present(file), expiresInSeconds });
  };

  const remember = (
    key: string,
    content: Content,
    bytes: Buffer | null,
    generation: number,
  ): RecentContent => {
    const entry = recent.add(key, content, generation);
    if (bytes) recent.keepBytes(key, entry, bytes);
    return entry;
  };

  /** Few bytes are read once, and handed out to all who ask within the moment. */
  const remembering = (key: string, entry: RecentContent): Content => ({
    ...entry.content,
    async read(range) {
      if (entry.content.sizeBytes > smallBytes) return entry.content.read(range);
      let { bytes } = entry;
      if (!bytes) {
        const whole = await entry.content.read();
        bytes = Buffer.isBuffer(whole) ? whole : await buffer(whole);
        recent.keepBytes(key, entry, bytes);
      }
      return slice(bytes, range);
    },
  });

  return {
    get: (credential, id) => find(credential, id, (token) => opens(token, id, 'access', null)),

    accessToken: (fileId) =>
      tokens.mint({ fileId, purpose: 'access', transformation: null }, clock.now() + deps.accessTokenLifeMs),

    async download(credential, id, wish, present) {
      const { generation } = recent;
      const file = await find(credential, id, (token) => opens(token, id, 'access', wish));
      const linkTo = linkFor(credential, present);
      if (wish) {
        await requireTransformable(file, credential);
        // Made now and not when it is fetched: whoever asked learns here what is wrong with it.
        const { variant, bytes } = await images.get(file, wish);
        // The redirect is followed at once: what was found here need not be looked for again.
        if (recent.generation !== generation) await requireThere(file);
        const made = picture(file, wish, variant);
        // What was made just now may not be stored yet, and what is lost is made again: both are done by `content`.
        const url = bytes ? null : await linkTo?.(variant.blobKey, made);
        if (url) return { kind: 'link', url };
        remember(keyOf(id, wish), made, bytes, generation);
      } else if (linkTo) {
        return { kind: 'link', url: (await linkTo(file.blobKey, file)) ?? (await missingBytes(file)) };
      }
      const scope = { fileId: file.id, purpose: 'content', transformation: textOf(wish) } as const;
      return { kind: 'content', token: tokens.mint(scope, clock.now() + contentTokenLifeMs) };
    },

    async share(principal, id, wish, lifeMs) {
      const credential = { kind: 'principal', principal } as const;
      const file = await find(credential, id, () => false);
      if (wish) await requireTransformable(file, credential);
      const expiresAt = clock.now() + (lifeMs ?? deps.accessTokenLifeMs);
      const scope = { fileId: file.id, purpose: 'access', transformation: textOf(wish) } as const;
      return { token: tokens.mint(scope, expiresAt), expiresAt };
    },

    async open(token, id, wish) {
      if (!opens(token, id, 'content', wish)) throw refuse.fileForbidden();
      const key = keyOf(id, wish);
      const known = recent.find(key);
      if (known) return remembering(key, known);
      const { generation } = recent;
      const file = await find({ kind: 'token', token }, id, () => true);
      if (!wish) return remembering(key, remember(key, original(file), null, generation));
      const { variant, bytes } = await images.get(file, wish);
      if (recent.generation !== generation) await requireThere(file);
      return remembering(key, remember(key, picture(file, wish, variant), bytes, generation));
    },

    async delete(principal, id) {
      const file = await find({ kind: 'principal', principal }, id, () => false);
      // The row first: a crash in between leaves bytes without a living row, never a row without bytes.
      await store.files.markDeleted(file.id, clock.now());
      recent.clear();
      signals.publish({ kind: 'files-changed' });
      await blobs.remove(file.blobKey);
      await store.files.forgetBlobs([file.id]);
    },
  };
}

const slice = (bytes: Buffer, range: ByteRange | undefined): Buffer =>
  range ? bytes.subarray(range.start, range.end + 1) : bytes;
