/**
 * Preloaded into a server with --import: records every file sync, rename, database commit and socket write, one JSON line each, in the file
 * that SYNC_TRACE_FILE names. Runs in every thread of the server.
 */
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { register, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { note, now } from './sync-note.mjs';

const paths = new WeakMap();
const { open, rename } = fsPromises;
fsPromises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  paths.set(handle, String(path));
  return handle;
};
fsPromises.rename = async (path, to) => {
  const begin = now();
  await rename(path, to);
  note({ call: 'rename', path: String(path), to: String(to), begin });
};

// The same for synchronous calls, which the thread that writes small files makes.
const pathOf = new Map();
const { openSync, writeSync, fsyncSync, fsync, renameSync } = fs;
const watched =
  (call, original, textOf = () => undefined) =>
  (...given) => {
    const begin = now();
    const result = original(...given);
    const path = pathOf.get(given[0]);
    if (path !== undefined) note({ call, path, text: textOf(...given), begin });
    return result;
  };
fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest);
  pathOf.set(descriptor, String(path));
  return descriptor;
};
fs.writeSync = watched('write', writeSync, (_file, bytes) => Buffer.from(bytes).toString());
fs.fsyncSync = watched('sync', fsyncSync);
fs.fsync = (descriptor, done) => {
  const begin = now();
  const path = pathOf.get(descriptor);
  fsync(descriptor, (error) => {
    if (!error && path !== undefined) note({ call: 'sync', path, begin });
    done(error);
  });
};
fs.renameSync = (path, to) => {
  const begin = now();
  renameSync(path, to);
  note({ call: 'rename', path: String(path), to: String(to), begin });
};
syncBuiltinESMExports();

const probe = await open('/dev/null');
const FileHandle = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ['sync', 'datasync']) {
  const original = FileHandle[name];
  FileHandle[name] = async function (...rest) {
    const begin = now();
    await original.apply(this, rest);
    note({ call: 'sync', path: paths.get(this) ?? '', begin });
  };
}
for (const name of ['write', 'writev', 'writeFile', 'appendFile']) {
  const original = FileHandle[name];
  FileHandle[name] = async function (...rest) {
    const begin = now();
    const result = await original.apply(this, rest);
    note({ call: 'write', path: paths.get(this) ?? '', text: String(rest[0]), begin });
    return result;
  };
}

// SQLite's own methods cannot be replaced, so its module is: see sync-sqlite.mjs.
register('./sync-loader.mjs', import.meta.url);

const { write } = Socket.prototype;
Socket.prototype.write = function (chunk, ...rest) {
  note({ call: 'write', path: 'socket', text: String(chunk), begin: now() });
  return write.call(this, chunk, ...rest);
};
