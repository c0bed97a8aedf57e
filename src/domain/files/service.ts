/** Reading files back: who may, where from, and what is left of a deleted one. */
import type { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import type { BlobStore, ByteRange } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';
import type { FileTokens } from './tokens.js';

/** The redirect is followed at once; a minute covers slow clients and skewed clocks. */
const contentTokenLifeMs = 60_000;

/** How a caller of a file endpoint proves that they may see it. */
export type FileCredential =
  | { readonly kind: 'principal'; readonly principal: Principal }
  | { readonly kind: 'token'; readonly token: string };

export interface FileService {
  get(credential: FileCredential, id: string): Promise<StoredFile>;
  /** A fresh token for the file's download_url. */
  accessToken(fileId: string): string;
  contentToken(fileId: string): string;
  /** The file behind a content token, with a way to its bytes. */
  openContent(
    token: string,
    id: string,
  ): Promise<{ file: StoredFile; read: (range?: ByteRange) => Promise<Readable> }>;
  delete(principal: Principal, id: string): Promise<void>;
}

export function createFileService(deps: {
  store: Store;
  blobs: BlobStore;
  tokens: FileTokens;
  clock: Clock;
  accessTokenLifeMs: number;
}): FileService {
  const { store, blobs, tokens, clock } = deps;

  /** In this order: a stranger learns nothing about ids, an owner learns everything. */
  const get = async (
    credential: FileCredential,
    id: string,
    purpose: 'access' | 'content',
  ): Promise<StoredFile> => {
    if (credential.kind === 'token' && !tokens.isGood(credential.token, id, purpose, clock.now())) {
      throw refuse.fileForbidden();
    }
    const file = isUuid(id) ? await store.files.find(id) : null;
    if (!file) throw refuse.fileNotFound();
    if (credential.kind === 'principal' && credential.principal.accountId !== file.accountId) {
      throw refuse.fileForbidden();
    }
    if (file.deletedAt !== null) throw refuse.fileDeleted();
    return file;
  };

  return {
    get: (credential, id) => get(credential, id, 'access'),
    accessToken: (fileId) => tokens.mint(fileId, 'access', clock.now() + deps.accessTokenLifeMs),
    contentToken: (fileId) => tokens.mint(fileId, 'content', clock.now() + contentTokenLifeMs),

    async openContent(token, id) {
      const file = await get({ kind: 'token', token }, id, 'content');
      return {
        file,
        async read(range) {
          const bytes = await blobs.open(file.blobKey, range);
          if (bytes) return bytes;
          const now = await store.files.find(file.id);
          if (!now || now.deletedAt !== null) throw refuse.fileDeleted();
          throw new Error(`The bytes of file ${file.id} are missing`);
        },
      };
    },

    async delete(principal, id) {
      const file = await get({ kind: 'principal', principal }, id, 'access');
      // The row first: a crash in between leaves bytes without a living row, never a row without bytes.
      await store.files.markDeleted(file.id, clock.now());
      await blobs.remove(file.blobKey);
      await store.files.forgetBlobs([file.id]);
    },
  };
}
