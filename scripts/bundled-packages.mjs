/**
 * What the build puts into our own files: code of other packages, which an install of Inlet does not show. Their licences
 * require their text to be included (dist/THIRD-PARTY-LICENSES.txt), and the audit must know them (dist/bundled.json).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folderOf = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Adds the folders of the packages that a build used: code, and files such as fonts, whose names are relative to `start`. */
export function collectPackages(folders, { output }, start = '') {
  for (const { moduleIds = [], originalFileNames = [] } of output) {
    for (const id of [...moduleIds, ...originalFileNames.map((name) => resolve(start, name))]) {
      const folder = folderOf.exec(id.replaceAll('\\', '/'))?.[0].replace(/^\0/, '');
      if (folder) folders.add(folder);
    }
  }
}

function describe(folder) {
  const { name, version, license, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const source = repository?.url ?? repository ?? '';
  return { name, version, license: license ?? 'see below', source, texts };
}

export function writeNotices(dist, folders) {
  const paths = [...folders].sort();
  const packages = paths.map(describe);
  const inLock = (path) => path.slice(path.indexOf('/node_modules/') + 1);
  const versions = Object.fromEntries(paths.map((path, index) => [inLock(path), packages[index].version]));
  writeFileSync(join(dist, 'bundled.json'), `${JSON.stringify(versions, null, 2)}\n`);
  const rule = '-'.repeat(80);
  const notices = packages.map(({ name, version, license, source, texts }) =>
    [`${name} ${version} (${license}) ${source}`.trimEnd(), ...texts].join('\n\n'),
  );
  writeFileSync(
    join(dist, 'THIRD-PARTY-LICENSES.txt'),
    `Inlet's own files contain code of these packages.\n\n${[...notices, ''].join(`\n\n${rule}\n`)}`,
  );
}
