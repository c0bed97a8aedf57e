import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BrokenArchive, isTarName, readTar, type TarFile, writeTar } from './tar.js';

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const fileOf = (name: string, bytes: Buffer): TarFile => ({
  name,
  sizeBytes: bytes.length,
  content: chunked(bytes, 700),
});

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const contents = {
  'inlet.db': Buffer.alloc(5_000, 'database'),
  'files/0a/empty': Buffer.alloc(0),
  'files/0a/whole-block': Buffer.alloc(512, 'x'),
};

const packed = (): Promise<Buffer> =>
  bytesOf(writeTar(Object.entries(contents).map(([name, bytes]) => fileOf(name, bytes))));

async function unpacked(archive: Buffer, chunkBytes = 333): Promise<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {};
  for await (const { name, content } of readTar(chunked(archive, chunkBytes))) {
    found[name] = await bytesOf(content);
  }
  return found;
}

it('gives back what was put in, in chunks of any size', async () => {
  for (const size of [1, 333, 512, 100_000]) expect(await unpacked(await packed(), size)).toEqual(contents);
});

it('is read by the tar of the system', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-tar-'));
  try {
    writeFileSync(join(folder, 'all.tar'), await packed());
    const { status, stderr } = spawnSync('tar', ['-xf', 'all.tar'], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    for (const [name, bytes] of Object.entries(contents)) {
      expect(readFileSync(join(folder, name)).equals(bytes), name).toBe(true);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('writes sizes beyond eight gigabytes so that they are read again', async () => {
  const sizeBytes = 9 * 1024 ** 3;
  const content = chunked(Buffer.alloc(0), 1);
  const header = (await writeTar([{ name: 'large', sizeBytes, content }]).next()).value as Buffer;
  const read = await readTar(chunked(header, 512)).next();
  expect(read.value).toMatchObject({ name: 'large', sizeBytes });
});

it('is refused when it was cut off anywhere, or changed in a header', async () => {
  const archive = await packed();
  for (let length = 0; length < archive.length; length += 256) {
    await expect(unpacked(archive.subarray(0, length)), `${length}`).rejects.toThrow(BrokenArchive);
  }
  const changed = Buffer.from(archive);
  changed[0] = 'X'.charCodeAt(0);
  await expect(unpacked(changed)).rejects.toThrow('a header is damaged');
});

it('holds no name that climbs out of a folder', () => {
  for (const name of ['../x', '/x', 'a/../b', 'a//b', '', '.', 'a/./b', 'x'.repeat(101), 'a\0b']) {
    expect(isTarName(name), name).toBe(false);
  }
  for (const name of ['inlet.db', 'files/0a/0190-aa', '.staging/x']) expect(isTarName(name), name).toBe(true);
});

it('says when a file changed its size while it was read', async () => {
  const shrunk = { name: 'a', sizeBytes: 9, content: chunked(Buffer.from('short'), 5) };
  await expect(bytesOf(writeTar([shrunk]))).rejects.toThrow('a changed while it was archived');
});
