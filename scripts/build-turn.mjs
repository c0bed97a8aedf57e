/**
 * Builds of one checkout take turns, because two at once would delete each other's files: `npm start` builds the documentation
 * after the service has started, and the tests may be run meanwhile.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Creates the file with the id of this process. Returns false if there is one already. */
function created(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the process that created the file still runs. A killed one leaves its file behind. */
function isHeld(file) {
  try {
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Waits until no other process has the turn, and keeps it until this process ends. */
export async function takeTurn(file) {
  mkdirSync(dirname(file), { recursive: true });
  for (let isSaid = false; !created(file); ) {
    if (!isHeld(file)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!isSaid) process.stderr.write(`Waiting for another build, of process ${readFileSync(file)} …\n`);
    isSaid = true;
    await pause(200);
  }
  process.once('exit', () => rmSync(file, { force: true }));
}
