/**
 * Preloaded into `inlet copy` (`--import`): kills the process without warning. `?mark=N` at the Nth time that it stores its progress,
 * `?file=N` at the Nth file that gets its name, `?end=1` just before it marks the copy as finished. With `&after=1` once the database has
 * responded instead of before the call.
 */
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

const wanted = new URL(import.meta.url).searchParams;
const after = wanted.has('after');
const die = () => process.kill(process.pid, 'SIGKILL');

let marks = 0;
/** Whether this message to the database is the point at which to die. */
function isThePoint(text) {
  if (wanted.has('end')) return /delete from \\?"instance/i.test(text);
  if (!text.includes('unfinished_copy') || !text.includes('phase')) return false;
  marks += 1;
  return marks === Number(wanted.get('mark'));
}

const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function postMessage(message, ...rest) {
  if (isThePoint(JSON.stringify(message))) {
    if (!after) die();
    this.prependListener('message', (answer) => {
      if (answer.id === message.id) die();
    });
  }
  return send.call(this, message, ...rest);
};

const write = Socket.prototype.write;
Socket.prototype.write = function (chunk, ...rest) {
  if (isThePoint(Buffer.from(chunk).toString('latin1'))) {
    if (!after) die();
    this.prependListener('data', die);
  }
  return write.call(this, chunk, ...rest);
};

let files = 0;
const { rename } = fsPromises;
fsPromises.rename = async (path, to) => {
  await rename(path, to);
  if (String(to).includes('/files/')) files += 1;
  if (files === Number(wanted.get('file'))) die();
};
syncBuiltinESMExports();
