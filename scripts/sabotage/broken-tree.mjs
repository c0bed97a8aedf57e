/**
 * A deliberately broken program: a copy of this tree in which one piece of the source is replaced, with its own build. Tests
 * that run there import and start the broken program by the usual paths, so neither the product nor a test knows about this.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sabotages } from './list.mjs';

/** Folders copied into a broken tree. Others are symlinks, and dist/ is built there or copied. */
const copied = new Set(['src', 'client', 'test', 'scripts', 'deploy']);
const left = new Set(['.git', 'dist']);

/** A patch of such a file would be written through the symlink into the real tree. */
const isLinked = (file) => file.includes('/') && !copied.has(file.split('/')[0]);

export function sabotageNamed(name) {
  const found = sabotages.find((one) => one.name === name);
  if (!found) throw new Error(`There is no sabotage "${name}". See: npm run sabotage -- --list`);
  return found;
}

/** The patched texts by path. Throws when the source has changed and a piece does not occur exactly once. */
export function patchedSources(root, { name, patches }) {
  const texts = new Map();
  for (const { file, find, put } of patches) {
    if (isLinked(file)) throw new Error(`${name}: ${file} is not in a folder that is copied`);
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    const times = text.split(find).length - 1;
    if (times !== 1) {
      throw new Error(`${name}: the piece to break is ${times} times in ${file}, not once:\n${find}`);
    }
    texts.set(
      file,
      text.replace(find, () => put),
    );
  }
  return texts;
}

/** `hasOurBuild`: for unit tests, which import the sources. A build takes longer than these tests. */
export function buildBroken(root, name, folder, { hasOurBuild = false } = {}) {
  if (!folder) throw new Error('Say where to build it: --out=FOLDER');
  const patched = patchedSources(root, sabotageNamed(name));
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const [from, to] = [join(root, entry.name), join(folder, entry.name)];
    if (left.has(entry.name)) continue;
    if (entry.isFile() || copied.has(entry.name)) cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
  for (const [file, text] of patched) writeFileSync(join(folder, file), text);
  if (hasOurBuild) {
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
    // Must be newer than the sources, or the tests would rebuild.
    writeFileSync(join(folder, 'dist', '.built'), '');
    return;
  }
  // Copied unbroken, because the server-only build below does not create them.
  for (const part of ['web', 'site.br', '.site-built', '.site-packages.json', 'bundled.json'])
    cpSync(join(root, 'dist', part), join(folder, 'dist', part), { recursive: true });
  const built = spawnSync(process.execPath, [join(folder, 'scripts', 'build.mjs'), '--server-only'], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`The broken tree ${name} cannot be built:\n${built.stderr}`);
}
