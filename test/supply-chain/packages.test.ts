/** Installed packages are pinned to the last byte, and whatever may run during the installation is listed and explained. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const text = (name: string): Promise<string> => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
interface Versions {
  readonly [name: string]: string | Versions;
}
const manifest: Readonly<Record<string, Versions>> = JSON.parse(await text('package.json'));
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  await text('package-lock.json'),
);
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** A version, a version under another name, or a reference to one that this file names elsewhere. */
const exact = /^((npm:(@[\w-]+\/)?[^@/]+@)?\d+\.\d+\.\d+|\$[a-z-]+)$/;
const isExact = (version: string | Versions): boolean =>
  typeof version === 'string' ? exact.test(version) : Object.values(version).every(isExact);

it.each(['dependencies', 'devDependencies', 'overrides'])('%s name exact versions', (group) => {
  const loose = Object.entries(manifest[group] ?? {}).filter(([, version]) => !isExact(version));
  expect(loose).toEqual([]);
});

it('the lock file knows the hash of every package, and no place to download it from', () => {
  expect(locked.length).toBeGreaterThan(100);
  const unproven = locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(unproven.map(([path]) => path)).toEqual([]);
  expect(
    locked.filter(([, { resolved, link }]) => resolved !== undefined || link).map(([path]) => path),
  ).toEqual([]);
});

const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript);

// Names only: without download URLs in the lock file, npm does not recognise a name with a version.
it('allowScripts lists the packages with an install script', () => {
  const names = new Set(scripted.map(([path]) => nameOf(path)));
  expect(Object.keys(manifest.allowScripts ?? {}).sort()).toEqual([...names].sort());
});

it('the security page says of each what it does, in the version that was reviewed', async () => {
  const guide = await text('docs/explanation/security.md');
  const [, section = ''] = guide.split('\n## Supply chain\n');
  const explained = [...section.matchAll(/^\| `(@?[^`]+@[^`]+)` \|/gm)].map((match) => match[1]);
  const versions = new Set(scripted.map(([path, { version }]) => `${nameOf(path)}@${version}`));
  expect(explained.sort()).toEqual([...versions].sort());
});
