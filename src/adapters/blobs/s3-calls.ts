/**
 * The requests to the bucket, each limited in time and attempts.
 *
 * Retries are done here and not by the SDK: it would also retry an attempt that timed out without a response, and a
 * visitor cannot wait three times for that. A fault that comes quickly is retried; a slow one is not.
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
  /** Null for Amazon's endpoint of the region. */
  readonly endpoint: string | null;
  /** Null to use the usual AWS variables and files. */
  readonly region: string | null;
  /** Null to use the usual AWS variables, files and services. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

export interface CallLimits {
  readonly connectMs: number;
  /** Timeout of an attempt in which no byte moves. Including retries it stays under the 20 s of an upload. */
  readonly silenceMs: number;
  /** Timeout of calls that transfer no file, over all their attempts. */
  readonly smallCallMs: number;
  /** No further attempt begins after this time. */
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
  // No socket timeout: a slow client of ours may leave the socket idle for any time. The returned stream detects stalls.
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
      // Jitter: requests that failed together would otherwise fail together again.
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

    /** Returns null when there is no such object, 'empty' when the range begins past its end. */
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

    /** With `ifAbsent`, an existing object stays, unless the server does not support conditional writes. */
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

    /** Copies within the bucket. Returns false when there is no such object. Takes longer the larger the object is. */
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
      // A missing bucket gives the same response, which says nothing about the object.
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

    /** Removes every version and delete marker of the object, if the bucket has versioning. */
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
  // The service limits uploads itself. A request that waited here for a socket would time out before it is sent.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  const config: S3ClientConfig = {
    maxAttempts: 1,
    // Other vendors' servers support the newer checksums only in part, or reject them. We add Content-MD5 ourselves.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { ...times, httpAgent: agent, httpsAgent: agent },
    ...(credentials ? { credentials } : {}),
    ...(region === null ? {} : { region }),
  };
  if (endpoint === null) return new S3Client(config);
  // Few self-hosted servers have a host name per bucket, or regions.
  return new S3Client({ ...config, endpoint, region: region ?? 'us-east-1', forcePathStyle: true });
}
