/**
 * Writes small files in a thread of its own, by calls that wait. A file takes nine of them, each of which cost a trip to
 * another thread and back: by the request thread, 260 of its microseconds and 690 in all for 100 kB, against 60 and 480.
 *
 * What must stay true: as in disk.ts, a file under its key is whole and synced before the answer (file sync, rename, folder
 * sync, in this order), and no way out leaves a descriptor open.
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
 * `isAlone`: nobody else waits, so the syncs are waited for on the spot. Where others do, their syncs must run beside each
 * other: a disk takes many in hardly more time than one (150 files a second one after the other, 1,700 so).
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
    // It never came to be, or the fault that is being reported keeps us from it too: the sweeps find it.
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
