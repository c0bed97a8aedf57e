/**
 * The program of a codec process: takes one job at a time from its parent and ends with it. What a malicious picture
 * breaks is this process, which holds no secret, no connection and no database.
 */
import { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { encode, loadSharp } from './codec.js';
import { bytesDescriptor, type CodecMessage, type CodecRequest } from './protocol.js';

// Submissions come first: with codecs at full load the service still gets a core when it wants one.
setPriority(constants.priority.PRIORITY_LOW);
// A signal to the whole group of the terminal is for the parent, who ends us when it has finished.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

const output = new Socket({ fd: bytesDescriptor, readable: false, writable: true });
output.on('error', () => process.exit(1));

const sharp = await loadSharp();

process.on('message', (request: CodecRequest) => {
  void encode(sharp, request).then(({ answer, bytes }) => {
    const message: CodecMessage = { answer, residentBytes: process.memoryUsage.rss() };
    process.send?.(message);
    if (bytes) output.write(bytes);
  });
});
