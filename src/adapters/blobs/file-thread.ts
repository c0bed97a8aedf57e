/**
 * Writes small files with synchronous calls in a separate thread. A file takes nine calls, and asynchronous ones cost a round
 * trip to another thread each: 100 kB took 260 microseconds of the request thread and 690 in all. Here it takes 60 and 480.
 *
 * Invariants, as in disk.ts: a file under its key is complete and synced before the response (file sync, rename, folder
 * sync, in this order), and no exit leaves a descriptor open.
 */
import {
  closeSync,
  fsync,
  fsyncSync,
  futimesSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { placeOf, stagedPath } from './disk-layout.js';
import type { FileAnswer, FileRequest, FileThreadOptions } from './file-protocol.js';
import { sharedByFolder } from './shared-syncs.js';

const { directory } = workerData as FileThreadOptions;
const port = parentPort;
if (!port) throw new Error('file-thread runs as a worker thread only');

const syncBeside = promisify(fsync);

const syncFolderBeside = sharedByFolder(async (path) => {
  const folder = openSync(path, 'r');
  try {
    await syncBeside(folder);
  } finally {
    closeSync(folder);
  }
});

function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * `isAlone`: no other file waits, so the syncs are synchronous. Otherwise the files' syncs must run concurrently: a disk
 * completes many in hardly more time than one (150 files a second one after the other, 1,700 concurrently).
 */
async function keep({ key, block, length, modifiedAt }: FileRequest, isAlone: boolean): Promise<void> {
  const { folder, target } = placeOf(directory, key);
  let written = stagedPath(directory, key);
  try {
    const file = openSync(written, 'wx', 0o600);
    try {
      for (let at = 0; at < length; ) at += writeSync(file, block, at, length - at);
      futimesSync(file, modifiedAt / 1000, modifiedAt / 1000);
      if (isAlone) fsyncSync(file);
      else await syncBeside(file);
    } finally {
      closeSync(file);
    }
    renameSync(written, target);
    written = target;
    if (isAlone) syncFolderNow(folder);
    else await syncFolderBeside(folder);
  } catch (error) {
    removeQuietly(written);
    throw error;
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never created, or the reported fault also prevents removing it. In that case the sweeps find it.
  }
}

let running = 0;

async function answer(request: FileRequest, isAlone: boolean): Promise<void> {
  running += 1;
  let fault: FileAnswer['fault'] = null;
  try {
    await keep(request, isAlone);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    fault = { message, code };
  }
  running -= 1;
  port?.postMessage({ id: request.id, fault } satisfies FileAnswer);
}

port.on('message', (first: FileRequest) => {
  const requests = [first];
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    requests.push(next.message);
  const isAlone = running === 0 && requests.length === 1;
  for (const request of requests) void answer(request, isAlone);
});
