/** Turns a response body into a stream that always ends: complete, or with the port's error. */
import { Readable } from 'node:stream';
import { BlobsUnavailable } from '../../ports/blobs.js';
import { asBlobFault } from './s3-faults.js';

const highWaterMark = 128 * 1024;

/** `stallMs` limits how long the bucket may take to send the next bytes once they are wanted. A slow reader is not limited. */
export function watchedStream(body: Readable, sizeBytes: number, stallMs: number): Readable {
  let left = sizeBytes;
  let watch: NodeJS.Timeout | undefined;
  const unwatch = (): void => {
    clearTimeout(watch);
    watch = undefined;
  };
  const stream = new Readable({
    highWaterMark,
    read() {
      watch ??= setTimeout(() => {
        stream.destroy(new BlobsUnavailable(`The bucket sent nothing for ${stallMs} ms (GetObject)`));
      }, stallMs);
      body.resume();
    },
    destroy(error, done) {
      unwatch();
      body.destroy();
      done(error);
    },
  });
  body.on('data', (chunk: Buffer) => {
    unwatch();
    left -= chunk.length;
    if (!stream.push(chunk)) body.pause();
  });
  body.on('end', () => {
    unwatch();
    if (left === 0) stream.push(null);
    else stream.destroy(new BlobsUnavailable(`The bucket sent ${sizeBytes - left} of ${sizeBytes} bytes`));
  });
  // Stays attached after the stream is destroyed: an error without a listener ends the process.
  body.on('error', (error) => stream.destroy(asBlobFault(error, 'GetObject')));
  body.pause();
  return stream;
}
