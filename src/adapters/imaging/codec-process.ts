/**
 * The program of a codec process: takes one job at a time from its parent and ends with it. A malicious image can only
 * take over this process, which has no secret, no connection and no database, and may do next to nothing (isolation.ts).
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { encode, loadSharp } from './codec.js';
import {
  type CodecMessage,
  type CodecReady,
  type CodecRequest,
  resultDescriptor,
  sourceDescriptor,
} from './protocol.js';

// A signal to the terminal's process group is meant for the parent, which ends this process when it has finished.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

const output = new Socket({ fd: resultDescriptor, readable: false, writable: true });
output.on('error', () => process.exit(1));

/** Allocating memory for each source took 2 of the 73 ms of a 4 MB image. A larger buffer is not reused. */
const maxKeptBytes = 16 * 1024 * 1024;
let memory = Buffer.alloc(0);
let source = { name: '', bytes: memory };

function readSource({ name, sizeBytes }: CodecRequest): Buffer {
  if (source.name === name && source.bytes.length === sizeBytes) return source.bytes;
  if (memory.length < sizeBytes || memory.length > maxKeptBytes) memory = Buffer.allocUnsafeSlow(sizeBytes);
  const bytes = memory.subarray(0, sizeBytes);
  for (let at = 0; at < sizeBytes; ) {
    const count = readSync(sourceDescriptor, bytes, at, sizeBytes - at, at);
    if (count === 0) process.exit(1);
    at += count;
  }
  source = { name, bytes };
  return bytes;
}

const sharp = await loadSharp();
// The operator must see failures up to here. From now on, an uploaded image determines what the libraries write to
// stderr, which must not reach the log: the open below takes descriptor 2, the lowest free one, and rejects writes.
closeSync(2);
openSync('/dev/null', 'r');

process.on('message', (request: CodecRequest) => {
  void encode(sharp, readSource(request), request).then(
    ({ answer, bytes }) => {
      const message: CodecMessage = { answer, residentBytes: process.memoryUsage.rss() };
      // The bytes go first: a small result is already there when the parent reads the message.
      if (bytes) output.write(bytes);
      process.send?.(message);
    },
    () => process.exit(1),
  );
});

const ready: CodecReady = { confined: (process.argv[2] ?? '').split(' ').filter(Boolean) };
process.send?.(ready);
