import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ZipEntry, zipOf } from './zip.js';

async function* entries(): AsyncGenerator<ZipEntry> {
  async function* pieces() {
    yield 'one ';
    yield Buffer.from('two');
  }
  async function* nothing() {}
  yield { name: 'data.json', content: pieces() };
  yield { name: 'files/ü/Zoë.txt', content: nothing() };
}

it('is read by other programs, with its names and its bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-zip-'));
  try {
    const parts: Buffer[] = [];
    for await (const part of zipOf(entries())) parts.push(part);
    writeFileSync(join(folder, 'a.zip'), Buffer.concat(parts));
    const read = `import zipfile,sys
z = zipfile.ZipFile('a.zip')
assert z.testzip() is None
z.extractall('out')
print('\\n'.join(z.namelist()))`;
    const names = execFileSync('python3', ['-c', read], { cwd: folder, encoding: 'utf8' });
    expect(names.trim().split('\n')).toEqual(['data.json', 'files/ü/Zoë.txt']);
    expect(readFileSync(join(folder, 'out/data.json'), 'utf8')).toBe('one two');
    expect(readFileSync(join(folder, 'out/files/ü/Zoë.txt'), 'utf8')).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
