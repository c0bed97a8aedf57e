/**
 * The requests that the bucket is asked, each of them bounded in time and in attempts.
 *
 * Attempts are counted here and not by the SDK: it would also repeat one that heard nothing for its whole time, and a
 * visitor cannot wait for that three times. A quick fault is tried again; a slow one was long enough.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type BlobEntry, BlobsUnavailable, type ByteRange } from '../../ports/blobs.js';
import {
  asBlobFault,
  isAbsent,
  isConditionUnknown,
  isPastTheEnd,
  isTaken,
  isWorthAnotherTry,
} from './s3-faults.js';
import type { Part } from './s3-parts.js';

export interface Bucket {
  readonly bucket: string;
  /** null: Amazon's own, in the region. */
  readonly endpoint: string | null;
  /** null: what the usual AWS variables and files say. */
  readonly region: string | null;
  /** null: from the usual AWS variables, files and services. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

export interface CallLimits {
  readonly connectMs: number;
  /** For an attempt in which no byte moves. Together with the retries it stays under the 20 s of an upload. */
  readonly silenceMs: number;
  /** For the calls that move no bytes, all their attempts together. */
  readonly smallCallMs: number;
  /** No further attempt begins after so long. */
  readonly retryForMs: number;
}

export const callLimits: CallLimits = {
  connectMs: 5_000,
  silenceMs: 8_000,
  smallCallMs: 5_000,
  retryForMs: 3_000,
};

const attempts = 3;
const firstPauseMs = 150;

export interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string;
}

export interface UnfinishedUpload {
  readonly object: string;
  readonly uploadId: string;
  readonly startedAt: number;
}

export type BucketCalls = ReturnType<typeof createBucketCalls>;

export function createBucketCalls(place: Bucket, limits: CallLimits) {
  const { bucket: Bucket } = place;
  const client = createClient(place, {
    connectionTimeout: limits.connectMs,
    socketTimeout: limits.silenceMs,
  });
  // Its sockets may be silent for as long as a slow reader of ours likes; the stream that is handed out watches them.
  const reading = createClient(place, {
    connectionTimeout: limits.connectMs,
    requestTimeout: limits.silenceMs,
    throwOnRequestTimeout: true,
    socketTimeout: 0,
  });

  const persist = async <T>(what: string, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const startedAt = performance.now();
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const isLate = performance.now() - startedAt > limits.retryForMs;
        if (tries === attempts || isLate || signal?.aborted || !isWorthAnotherTry(error)) {
          throw asBlobFault(error, what);
        }
      }
      // Not all at the same moment: those who failed together would fail together again.
      await pause(firstPauseMs * 2 ** tries * (0.5 + Math.random() / 2), undefined, { signal }).catch(
        () => {},
      );
    }
  };

  const small = <T>(
    what: string,
    attempt: (abortSignal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ) => {
    const late = AbortSignal.timeout(limits.smallCallMs);
    const abortSignal = signal ? AbortSignal.any([late, signal]) : late;
    return persist(what, () => attempt(abortSignal), abortSignal);
  };

  const unlessAbsent = async <T>(asked: Promise<T>): Promise<T | null> => {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof Error && isAbsent(error.cause)) return null;
      throw error;
    }
  };

  const headBucket = async (): Promise<void> => {
    await small('HeadBucket', (abortSignal) =>
      client.send(new HeadBucketCommand({ Bucket }), { abortSignal }),
    );
  };

  return {
    client,
    headBucket,

    async putObject(Key: string, { bytes, md5 }: Pick<Part, 'bytes' | 'md5'>): Promise<void> {
      await persist('PutObject', () =>
        client.send(
          new PutObjectCommand({ Bucket, Key, Body: bytes, ContentLength: bytes.length, ContentMD5: md5 }),
        ),
      );
    },

    async beginUpload(Key: string): Promise<string> {
      const { UploadId } = await small('CreateMultipartUpload', (abortSignal) =>
        client.send(new CreateMultipartUploadCommand({ Bucket, Key }), { abortSignal }),
      );
      if (UploadId === undefined) throw new BlobsUnavailable('The bucket gave an upload no id');
      return UploadId;
    },

    async putPart(
      Key: string,
      UploadId: string,
      PartNumber: number,
      { bytes, md5 }: Part,
      abortSignal: AbortSignal,
    ): Promise<SentPart> {
      const { ETag } = await persist(
        'UploadPart',
        () =>
          client.send(
            new UploadPartCommand({
              ...{ Bucket, Key, UploadId, PartNumber },
              ...{ Body: bytes, ContentLength: bytes.length, ContentMD5: md5 },
            }),
            { abortSignal },
          ),
        abortSignal,
      );
      if (ETag === undefined) throw new BlobsUnavailable('The bucket gave a part no tag');
      return { PartNumber, ETag };
    },

    async completeUpload(Key: string, UploadId: string, parts: readonly SentPart[]): Promise<void> {
      await persist('CompleteMultipartUpload', () =>
        client.send(
          new CompleteMultipartUploadCommand({
            Bucket,
            Key,
            UploadId,
            MultipartUpload: { Parts: [...parts] },
          }),
        ),
      );
    },

    async abortUpload(Key: string, UploadId: string, signal?: AbortSignal): Promise<void> {
      await small(
        'AbortMultipartUpload',
        (abortSignal) =>
          client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal }),
        signal,
      );
    },

    /** null: there is no such object. A range past its end is empty. */
    async get(Key: string, range?: ByteRange): Promise<GetObjectCommandOutput | 'empty' | null> {
      const Range = range && `bytes=${range.start}-${range.end}`;
      try {
        return await unlessAbsent(
          persist('GetObject', () => reading.send(new GetObjectCommand({ Bucket, Key, Range }))),
        );
      } catch (error) {
        if (error instanceof Error && isPastTheEnd(error.cause)) return 'empty';
        throw error;
      }
    },

    /** A small object as text. */
    async getText(Key: string): Promise<string | null> {
      return unlessAbsent(
        small('GetObject', async (abortSignal) => {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal });
          return (await Body?.transformToString()) ?? '';
        }),
      );
    },

    /** `ifAbsent`: an object that is there already stays, as far as the server knows the condition. */
    async putText(Key: string, text: string, { ifAbsent }: { ifAbsent: boolean }): Promise<void> {
      const put = (condition: { IfNoneMatch?: string }): Promise<unknown> =>
        small('PutObject', (abortSignal) =>
          client.send(new PutObjectCommand({ Bucket, Key, Body: text, ...condition }), { abortSignal }),
        );
      if (!ifAbsent) return void (await put({}));
      await put({ IfNoneMatch: '*' }).catch(async (error: Error) => {
        if (isTaken(error.cause)) return;
        if (!isConditionUnknown(error.cause)) throw error;
        await put({});
      });
    },

    /** Within the bucket; false: there is no such object. It takes as long as the object is large. */
    async copy(from: string, to: string): Promise<boolean> {
      const CopySource = `${Bucket}/${from}`;
      const copied = persist('CopyObject', () =>
        client.send(new CopyObjectCommand({ Bucket, CopySource, Key: to })),
      );
      return (await unlessAbsent(copied)) !== null;
    },

    async size(Key: string): Promise<number | null> {
      const found = await unlessAbsent(
        small('HeadObject', (abortSignal) =>
          client.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal }),
        ),
      );
      // A bucket that is not there answers the same; then nothing is known about the object.
      if (found === null) await headBucket();
      return found?.ContentLength ?? null;
    },

    async remove(Key: string, signal?: AbortSignal): Promise<void> {
      await small(
        'DeleteObject',
        (abortSignal) => client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }),
        signal,
      );
    },

    /** Every version of the object and every mark that it was deleted, where the bucket keeps them. */
    async removeVersions(Key: string): Promise<void> {
      for (let marker: { KeyMarker?: string; VersionIdMarker?: string } = {}; ; ) {
        const page = await small('ListObjectVersions', (abortSignal) =>
          client.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key, ...marker }), { abortSignal }),
        );
        for (const { Key: found, VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]) {
          if (found !== Key || VersionId === undefined) continue;
          await small('DeleteObject', (abortSignal) =>
            client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }), { abortSignal }),
          );
        }
        const { NextKeyMarker, NextVersionIdMarker } = page;
        if (!page.IsTruncated || NextKeyMarker === undefined) return;
        marker = {
          KeyMarker: NextKeyMarker,
          ...(NextVersionIdMarker && { VersionIdMarker: NextVersionIdMarker }),
        };
      }
    },

    async *list(Prefix: string): AsyncGenerator<BlobEntry> {
      for (let token: string | undefined; ; ) {
        const page = await small('ListObjectsV2', (abortSignal) =>
          client.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: token }), {
            abortSignal,
          }),
        );
        for (const { Key, LastModified } of page.Contents ?? []) {
          if (Key !== undefined && LastModified) yield { key: Key, modifiedAt: LastModified.getTime() };
        }
        token = page.NextContinuationToken;
        if (!page.IsTruncated || token === undefined) return;
      }
    },

    async *listUploads(Prefix: string): AsyncGenerator<UnfinishedUpload> {
      for (let after: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
        const page = await small('ListMultipartUploads', (abortSignal) =>
          client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...after }), { abortSignal }),
        );
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (Key === undefined || UploadId === undefined || !Initiated) continue;
          yield { object: Key, uploadId: UploadId, startedAt: Initiated.getTime() };
        }
        const { NextKeyMarker, NextUploadIdMarker } = page;
        if (!page.IsTruncated || NextKeyMarker === undefined) return;
        after = {
          KeyMarker: NextKeyMarker,
          ...(NextUploadIdMarker && { UploadIdMarker: NextUploadIdMarker }),
        };
      }
    },
  };
}

function createClient(
  { endpoint, region, credentials }: Bucket,
  times: Readonly<Record<string, number | boolean>>,
): S3Client {
  // Uploads are bounded by the service; a request that waited here for a socket would run out of time unsent.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  const config: S3ClientConfig = {
    maxAttempts: 1,
    // Servers of other vendors know the newer checksums in part, or refuse them; ours go along by hand.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { ...times, httpAgent: agent, httpsAgent: agent },
    ...(credentials ? { credentials } : {}),
    ...(region === null ? {} : { region }),
  };
  if (endpoint === null) return new S3Client(config);
  // Few own servers have a name for each bucket, or a region to speak of.
  return new S3Client({ ...config, endpoint, region: region ?? 'us-east-1', forcePathStyle: true });
}
