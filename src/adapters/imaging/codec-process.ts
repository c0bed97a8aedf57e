/**
 * The program of a codec process: takes one job at a time from its parent and ends with it. What a malicious picture
 * breaks is this process, which holds no secret, no connection and no database.
 */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { encode, loadSharp } from './codec.js';
import { bytesDescriptor, type CodecMessage, type CodecRequest } from './protocol.js';

// Submissions come first: with codecs at full load the service still gets a core when it wants one.
setPriority(constants.priority.PRIORITY_LOW);
// A picture may need 750 MB (50 megapixels, 16 bits, interlaced). Where that is too much, the kernel is to end this
// process and not the service. Elsewhere than on Linux there is nothing to write to.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}
// A signal to the whole group of the terminal is for the parent, who ends us when it has finished.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

const output = new Socket({ fd: bytesDescriptor, readable: false, writable: true });
output.on('error', () => process.exit(1));

const sharp = await loadSharp();
// What failed until here the operator must read. From now on the libraries write there what a stranger's picture makes
// them say, and the log is no place for that: the lowest free descriptor becomes the new one.
closeSync(2);
openSync('/dev/null', 'w');

process.on('message', (request: CodecRequest) => {
  void encode(sharp, request).then(({ answer, bytes }) => {
    const message: CodecMessage = { answer, residentBytes: process.memoryUsage.rss() };
    // First the bytes: whoever reads the message finds a small result there already.
    if (bytes) output.write(bytes);
    process.send?.(message);
  });
});
