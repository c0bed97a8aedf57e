/** Serves uploaded files: access, downloads, shared links, previews and deletion. */
import { buffer } from 'node:stream/consumers';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { type Actor, linkHolder, nowhere, type Recorder } from '../../model/audit.js';
import { type Refusal, refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import { type Transformation, transformationText, type Variant, variantFilename } from '../../model/image.js';
import { plans } from '../../model/plans.js';
import type { BlobStore, ByteRange, LinkTerms } from '../../ports/blobs.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { AuditTrail } from '../audit/trail.js';
import { type ImageService, refuseMissing, requireNotDeleted } from '../images/service.js';
import { type Content, type RecentContent, RecentContents, smallBytes } from './recent.js';
import type { FileTokens, TokenPurpose } from './tokens.js';

/** The redirect is followed at once; a minute covers slow clients and skewed clocks. */
const contentTokenLifeMs = 60_000;
/** For links to the blob store: a slow client needs time to start, and to request the rest of a large file. */
const linkLifeMs = 5 * 60_000;

/** How the caller of a file endpoint proves access. */
export type FileCredential =
  | { readonly kind: 'principal'; readonly principal: Principal }
  | { readonly kind: 'token'; readonly token: string; readonly origin: Pick<Actor, 'address' | 'userAgent'> };

/** Where to fetch the bytes: from us with a `content` token, or from the blob store with a link. */
export type Download =
  | { readonly kind: 'content'; readonly token: string }
  | { readonly kind: 'link'; readonly url: string };

/** The headers of a file that the blob store serves itself. */
export type Presentation = (file: {
  readonly filename: string;
  readonly mimeType: string;
}) => Omit<LinkTerms, 'expiresInSeconds'>;

/** What a page may show of a file. */
export type Preview =
  | { readonly kind: 'pdf'; readonly content: Content }
  | { readonly kind: 'text'; readonly content: Content; readonly text: string };

/** Always detected from the bytes: `sniffType` does not trust a declared PDF. */
const pdfType = 'application/pdf';
/** Includes HTML and SVG, which are shown as source text. */
const textTypes = /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson)$|\+(json|xml)$/;
const previewBytes = 64 * 1024;

/** The text of a transformation that tokens are bound to; null for the file as uploaded. */
const textOf = (transformation: Transformation | null): string | null =>
  transformation ? transformationText(transformation) : null;

const keyOf = (id: string, transformation: Transformation | null): string =>
  `${id} ${textOf(transformation) ?? ''}`;

/** Without the file name, which a visitor chose. */
const fileObject = ({ id }: StoredFile) => ({ kind: 'file', id });

const recorderOf = (credential: FileCredential, { accountId }: StoredFile): Recorder =>
  credential.kind === 'principal'
    ? credential.principal
    : { accountId, actor: { ...linkHolder, ...credential.origin } };

const slice = (bytes: Buffer, range: ByteRange | undefined): Buffer =>
  range ? bytes.subarray(range.start, range.end + 1) : bytes;

export class FileService {
  readonly #recent: RecentContents;

  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly blobs: BlobStore;
      readonly images: ImageService;
      readonly tokens: FileTokens;
      readonly signals: Signals;
      readonly clock: Clock;
      readonly accessTokenLifeMs: number;
      readonly upgradeUrl: string;
      readonly trail: AuditTrail;
    },
  ) {
    this.#recent = new RecentContents(deps.clock);
    // Deleting a form or project deletes its files.
    for (const kind of ['files-changed', 'intake-changed'] as const) {
      deps.signals.subscribe(kind, () => this.#recent.clear());
    }
  }

  async get(credential: FileCredential, id: string): Promise<StoredFile> {
    const file = await this.#find(credential, id, (token) => this.#opens(token, id, 'access', null));
    await this.deps.trail.viewed(recorderOf(credential, file), 'file.viewed', fileObject(file));
    return file;
  }

  /** A fresh token for the file's download_url. */
  accessToken(fileId: string): string {
    return this.#mint(fileId, 'access', null, this.deps.accessTokenLifeMs).token;
  }

  /** Resolves once there is certain to be something to read. Without `present`, never returns a link. */
  async download(
    credential: FileCredential,
    id: string,
    transformation: Transformation | null,
    present: Presentation | null,
  ): Promise<Download> {
    const { generation } = this.#recent;
    const file = await this.#find(credential, id, (token) =>
      this.#opens(token, id, 'access', transformation),
    );
    const linkTo = this.#linkFor(credential, present);
    // Recorded here, where the caller is known: the redirect carries only a token that is valid for a minute.
    // A list shows a small picture of every image: nobody downloads those.
    const action = transformation ? 'file.viewed' : 'file.downloaded';
    await this.deps.trail.viewed(recorderOf(credential, file), action, fileObject(file));
    if (transformation) {
      await this.#requireTransformable(file, credential);
      // Made now rather than when it is fetched, so that the caller gets any error here.
      const { variant, bytes, content } = await this.#picture(file, transformation, generation);
      // A new variant may not be stored yet, and a lost one must be made again. Only `open` handles both.
      const url = bytes ? null : await linkTo?.(variant.blobKey, content);
      if (url) return { kind: 'link', url };
      // The redirect is followed at once, so this saves looking the variant up again.
      this.#remember(keyOf(id, transformation), content, bytes, generation);
    } else if (linkTo) {
      const url = (await linkTo(file.blobKey, file)) ?? (await refuseMissing(this.deps.store, file));
      return { kind: 'link', url };
    }
    return {
      kind: 'content',
      token: this.#mint(file.id, 'content', transformation, contentTokenLifeMs).token,
    };
  }

  /** Returns a shareable token for `download`, bound to the transformation if one is given. */
  async share(
    principal: Principal,
    id: string,
    transformation: Transformation | null,
    lifeMs: number | null,
  ): Promise<{ token: string; expiresAt: number }> {
    const credential = { kind: 'principal', principal } as const;
    const file = await this.#find(credential, id, () => false);
    if (transformation) await this.#requireTransformable(file, credential);
    const shared = this.#mint(file.id, 'access', transformation, lifeMs ?? this.deps.accessTokenLifeMs);
    const after = { expiresAt: shared.expiresAt };
    await this.deps.store.tx(async (tx) =>
      record(tx, principal, { action: 'file.shared', object: fileObject(file), after }),
    );
    return shared;
  }

  /** Returns the content that a `content` token gives access to. */
  async open(token: string, id: string, transformation: Transformation | null): Promise<Content> {
    if (!this.#opens(token, id, 'content', transformation)) throw refuse.fileForbidden();
    const key = keyOf(id, transformation);
    const known = this.#recent.find(key);
    if (known) return this.#remembering(key, known);
    const { generation } = this.#recent;
    const file = await this.#find({ kind: 'token', token, origin: nowhere }, id, () => true);
    const found = transformation
      ? await this.#picture(file, transformation, generation)
      : { content: this.#original(file), bytes: null };
    return this.#remembering(key, this.#remember(key, found.content, found.bytes, generation));
  }

  /** For display in a page: a PDF as it is, or the beginning of a text. */
  async preview(principal: Principal, id: string): Promise<Preview> {
    const file = await this.#find({ kind: 'principal', principal }, id, () => false);
    const content = this.#original(file);
    await this.deps.trail.viewed(principal, 'file.viewed', fileObject(file));
    if (file.mimeType === pdfType) return { kind: 'pdf', content };
    if (!textTypes.test(file.mimeType)) throw refuse.noPreview();
    const end = Math.min(file.sizeBytes, previewBytes) - 1;
    const bytes = end < 0 ? Buffer.alloc(0) : await content.read({ start: 0, end });
    const head = Buffer.isBuffer(bytes) ? bytes : await buffer(bytes);
    // A character cut in half at the end must not show as a broken one.
    const text = end + 1 < file.sizeBytes ? new StringDecoder('utf8').write(head) : head.toString('utf8');
    return { kind: 'text', content, text };
  }

  async delete(principal: Principal, id: string): Promise<void> {
    const { store, blobs, signals, clock } = this.deps;
    const file = await this.#find({ kind: 'principal', principal }, id, () => false);
    // The row first: a crash in between leaves bytes without a live row, never a row without bytes.
    await store.tx(async (tx) => {
      await tx.files.markDeleted(file.id, clock.now());
      record(tx, principal, { action: 'file.deleted', object: fileObject(file) });
    });
    this.#recent.clear();
    signals.publish({ kind: 'files-changed' });
    await blobs.remove(file.blobKey);
    await store.files.forgetBlobs([file.id]);
  }

  /** The token is checked first: without a valid one, ids cannot be probed. The owner learns everything. */
  async #find(
    credential: FileCredential,
    id: string,
    isGood: (token: string) => boolean,
  ): Promise<StoredFile> {
    const { files } = this.deps.store;
    if (credential.kind === 'token' && !isGood(credential.token)) throw refuse.fileForbidden();
    if (!isUuid(id)) throw refuse.fileNotFound();
    const file =
      credential.kind === 'token' ? await files.findAny(id) : await files.find(credential.principal, id);
    if (!file) throw await this.#missing(credential, id);
    if (file.deletedAt !== null) throw refuse.fileDeleted();
    return file;
  }

  /** The interface distinguishes a file of another account from one that does not exist. */
  async #missing(credential: FileCredential, id: string): Promise<Refusal> {
    if (credential.kind === 'token') return refuse.fileNotFound();
    const other = await this.deps.store.files.findAny(id);
    const isForeign = other !== null && other.accountId !== credential.principal.accountId;
    return isForeign ? refuse.fileForbidden() : refuse.fileNotFound();
  }

  #mint(fileId: string, purpose: TokenPurpose, transformation: Transformation | null, lifeMs: number) {
    const expiresAt = this.deps.clock.now() + lifeMs;
    const token = this.deps.tokens.mint(
      { fileId, purpose, transformation: textOf(transformation) },
      expiresAt,
    );
    return { token, expiresAt };
  }

  #opens(
    token: string,
    fileId: string,
    purpose: TokenPurpose,
    transformation: Transformation | null,
  ): boolean {
    const { tokens, clock } = this.deps;
    const isGood = (transformation: string | null): boolean =>
      tokens.isGood(token, { fileId, purpose, transformation }, clock.now());
    // An unbound access token is valid for every variant; a content token only for its own.
    return (
      isGood(textOf(transformation)) || (purpose === 'access' && transformation !== null && isGood(null))
    );
  }

  async #requireTransformable(file: StoredFile, credential: FileCredential): Promise<void> {
    const { images, store, upgradeUrl } = this.deps;
    images.requireImage(file);
    const plan =
      credential.kind === 'principal'
        ? credential.principal.plan
        : (await store.accounts.find(file.accountId))?.plan;
    if (!plan || !plans[plan].imageTransformation) throw refuse.transformationNeedsPlan(upgradeUrl);
  }

  /** Returns null where all bytes go through us. A link never outlives the token of its request. */
  #linkFor(credential: FileCredential, present: Presentation | null) {
    const { blobs, tokens, clock } = this.deps;
    const { links } = blobs;
    if (!links || !present) return null;
    const restMs = credential.kind === 'token' ? tokens.expiryOf(credential.token) - clock.now() : linkLifeMs;
    const expiresInSeconds = Math.max(1, Math.floor(Math.min(linkLifeMs, restMs) / 1000));
    return (blobKey: string, file: Parameters<Presentation>[0]) =>
      links.to(blobKey, { ...present(file), expiresInSeconds });
  }

  #original(file: StoredFile): Content {
    const { store, blobs } = this.deps;
    const { filename, mimeType, sizeBytes, sha256, uploadedAt: modifiedAt } = file;
    return {
      ...{ filename, mimeType, sizeBytes, sha256, modifiedAt, isOurs: false },
      read: async (range) => (await blobs.open(file.blobKey, range)) ?? refuseMissing(store, file),
    };
  }

  async #picture(file: StoredFile, transformation: Transformation, generation: number) {
    const { variant, bytes } = await this.deps.images.get(file, transformation);
    // Something was deleted while the variant was made, possibly this file.
    if (this.#recent.generation !== generation) await requireNotDeleted(this.deps.store, file);
    const { mimeType, sizeBytes, sha256, createdAt: modifiedAt } = variant;
    const content: Content = {
      ...{ mimeType, sizeBytes, sha256, modifiedAt, isOurs: true },
      filename: variantFilename(file.filename, mimeType),
      read: (range) => this.#readVariant(file, transformation, variant, range),
    };
    return { variant, bytes, content };
  }

  async #readVariant(file: StoredFile, transformation: Transformation, variant: Variant, range?: ByteRange) {
    const { blobs, images } = this.deps;
    const stored = await blobs.open(variant.blobKey, range);
    if (stored) return stored;
    // A restored backup has the rows of variants but not their bytes. A variant may also be trimmed at this moment.
    await images.forget(variant);
    const again = await images.get(file, transformation);
    if (again.variant.sha256 !== variant.sha256) throw refuse.imagingFailed();
    if (again.bytes) return slice(again.bytes, range);
    const bytes = await blobs.open(again.variant.blobKey, range);
    if (!bytes) throw refuse.imagingFailed();
    return bytes;
  }

  #remember(key: string, content: Content, bytes: Buffer | null, generation: number): RecentContent {
    const entry = this.#recent.add(key, content, generation);
    if (bytes) this.#recent.keepBytes(key, entry, bytes);
    return entry;
  }

  /** Small content is read once and served from memory while the entry is fresh. */
  #remembering(key: string, entry: RecentContent): Content {
    const { content } = entry;
    return {
      ...content,
      read: async (range) => {
        if (content.sizeBytes > smallBytes) return content.read(range);
        let { bytes } = entry;
        if (!bytes) {
          const whole = await content.read();
          bytes = Buffer.isBuffer(whole) ? whole : await buffer(whole);
          this.#recent.keepBytes(key, entry, bytes);
        }
        return slice(bytes, range);
      },
    };
  }
}
