/** Signed, short-lived links to the bucket itself, so that downloads do not pass through this process. */
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type BlobLinks, BlobsUnavailable } from '../../ports/blobs.js';
import type { Bucket, BucketCalls } from './s3-calls.js';
import { asBlobFault } from './s3-faults.js';

/** An image on a busy page is requested again and again. */
const seenForMs = 10_000;
const maxSeen = 1_000;

export function bucketLinks(
  { bucket, endpoint }: Bucket,
  region: string,
  { client, size }: BucketCalls,
  objectOf: (key: string) => string,
): BlobLinks {
  const seen = new Map<string, number>();

  /** A link to a missing object would show the bucket's own error, and a lost variant would never be created again. */
  const isThere = async (object: string): Promise<boolean> => {
    const at = seen.get(object);
    if (at !== undefined && performance.now() - at < seenForMs) return true;
    seen.delete(object);
    if ((await size(object)) === null) return false;
    if (seen.size >= maxSeen) seen.clear();
    seen.set(object, performance.now());
    return true;
  };

  return {
    async to(key, { expiresInSeconds, contentType, contentDisposition }) {
      const object = objectOf(key);
      if (!(await isThere(object))) return null;
      const wanted = new GetObjectCommand({
        Bucket: bucket,
        Key: object,
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition,
        ResponseCacheControl: 'private, no-store',
      });
      try {
        return await getSignedUrl(client, wanted, { expiresIn: expiresInSeconds });
      } catch (error) {
        throw asBlobFault(error, 'a link');
      }
    },
    origin: client.config.endpointProvider({
      Bucket: bucket,
      Region: region,
      ...(endpoint === null ? {} : { Endpoint: endpoint, ForcePathStyle: true }),
    }).url.origin,
  };
}

export async function requireRegion(client: S3Client): Promise<string> {
  try {
    return await client.config.region();
  } catch (error) {
    throw new BlobsUnavailable('The region of the bucket is not known; add region=… to STORAGE_URL', {
      cause: error,
    });
  }
}
