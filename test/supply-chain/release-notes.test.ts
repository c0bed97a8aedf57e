/** A tag is released only if package.json and the changelog know it. Its notes are that section of the changelog. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/release-notes.mjs', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-release-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const changes = `# Changelog

## [Unreleased]

## [1.2.3] - 2026-11-16

### Fixed

- A link to [1.2.2].

## [1.2.2] - 2026-11-01

- Older.

## [1.2.1]

- Without a date.

## [1.2.0] - 2026-10-01

[1.2.3]: https://example.com/1.2.3
`;

async function notesOf(tag: string, version: string, text = changes) {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ version }));
  await writeFile(join(folder, 'CHANGELOG.md'), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, tag], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('release notes', () => {
  it('are the section of the version, and nothing else', async () => {
    expect(await notesOf('v1.2.3', '1.2.3')).toEqual({
      ...{ status: 0, stderr: '', stdout: '### Fixed\n\n- A link to [1.2.2].\n' },
    });
  });

  it('end before the addresses of the links', async () => {
    const last = '## [1.0.0] - 2026-11-16\n\n- First.\n\n[1.0.0]: https://example.com\n';
    expect((await notesOf('v1.0.0', '1.0.0', last)).stdout).toBe('- First.\n');
  });

  const refusals: Record<string, readonly [tag: string, version: string, reason: RegExp]> = {
    'no tag': ['', '1.2.3', /v1\.2\.3/],
    'a tag that is no version': ['latest', '1.2.3', /v1\.2\.3/],
    'another version in package.json': ['v1.2.3', '1.2.2', /package\.json has version 1\.2\.2/],
    'a version that the change log does not know': ['v9.9.9', '9.9.9', /no section/],
    'a beginning of a known version': ['v1.2.30', '1.2.30', /no section/],
    'a section without a date': ['v1.2.1', '1.2.1', /no date/],
    'an empty section': ['v1.2.0', '1.2.0', /is empty/],
  };
  for (const [name, [tag, version, reason]] of Object.entries(refusals)) {
    it(`are refused for ${name}`, async () => {
      const { status, stdout, stderr } = await notesOf(tag, version);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(reason);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    });
  }
});

describe('this version', () => {
  it('has its notes, and the lock file has it too', async () => {
    const read = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'));
    const { version } = await read('package.json');
    const lock = await read('package-lock.json');
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
    const { status, stderr } = spawnSync(process.execPath, [script, `v${version}`], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('the change log has the form of Keep a Changelog', async () => {
    const text = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
    const headings = text.split('\n').filter((line) => /^#{2,3} /.test(line));
    expect(headings[0]).toBe('## [Unreleased]');
    for (const heading of headings.slice(1)) {
      expect(heading).toMatch(
        /^## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$|^### (Added|Changed|Deprecated|Removed|Fixed|Security)$/,
      );
    }
    for (const [, name] of text.matchAll(/^## \[(.+?)\]/gm)) expect(text).toContain(`\n[${name}]: https://`);
  });
});
