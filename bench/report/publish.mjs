/** Writes docs/explanation/benchmarks.md and its charts from the results of one run. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usualNames } from '../plan.mjs';
import { pageOf } from './page.mjs';
import { resultsFolder } from './report.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const images = join(root, 'docs', 'images');

/** Results that are older than these pages lack what a page needs, and so do those of single figures. */
const isWhole = ({ versions, quick, figures }) =>
  versions !== undefined && !quick && usualNames.every((name) => figures[name]);

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The newest complete run, unless one is named. */
function choose(file) {
  if (file) return resolve(file);
  const found = readdirSync(resultsFolder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(resultsFolder, name))
    .findLast((path) => isWhole(read(path)));
  if (!found) throw new Error('There are no results of a whole run. Run: npm run bench');
  return found;
}

/** Returns the paths that were written. */
export function publish(file) {
  const path = choose(file);
  const files = pageOf(read(path), relative(root, path));
  mkdirSync(images, { recursive: true });
  for (const name of readdirSync(images)) {
    if (name.startsWith('bench-') && !files[`docs/images/${name}`]) rmSync(join(images, name));
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return Object.keys(files);
}
