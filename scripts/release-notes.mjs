/**
 * Prints the section of the change log for a version: `node scripts/release-notes.mjs v1.2.3`. Fails unless the tag is the
 * version of package.json and the change log has a dated section for it. Reads both files in the current folder.
 */
import { readFileSync } from 'node:fs';

const tag = process.argv[2] ?? '';

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(tag)) stop('Name a tag such as v1.2.3.');
const version = tag.slice(1);
const { version: packaged } = JSON.parse(readFileSync('package.json', 'utf8'));
if (version !== packaged)
  stop(`The tag is ${tag}, but package.json has version ${packaged}. Make them the same.`);

const lines = readFileSync('CHANGELOG.md', 'utf8').split('\n');
const start = lines.findIndex((line) => line.startsWith(`## [${version}]`));
if (start === -1) stop(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD". Add it.`);
if (!/ - \d{4}-\d{2}-\d{2}$/.test(lines[start] ?? '')) {
  stop(`The section of ${version} in CHANGELOG.md has no date. Write "## [${version}] - YYYY-MM-DD".`);
}
// Up to the next version, or the link definitions at the end.
const rest = lines.slice(start + 1);
const end = rest.findIndex((line) => /^## |^\[[^\]]+\]: /.test(line));
const notes = rest
  .slice(0, end === -1 ? undefined : end)
  .join('\n')
  .trim();
if (notes === '') stop(`The section of ${version} in CHANGELOG.md is empty. Say what changed.`);
process.stdout.write(`${notes}\n`);
