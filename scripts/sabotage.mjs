/**
 * `npm run sabotage [-- NAME …]`: breaks the program on purpose, one way at a time, and checks that the test for it fails for
 * the right reason. First, the same tests must pass with the unbroken program; --broken-only skips that.
 *
 * --list lists all sabotages; --check only checks that each still finds the piece that it breaks and that its test exists;
 * --write puts the results into docs/explanation/durability.json, from which the report is generated.
 * To build a single one: node scripts/build.mjs --break=NAME --out=FOLDER
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { updateResults } from './faults/results.mjs';
import { patchedSources, sabotageNamed } from './sabotage/broken-tree.mjs';
import { judge, lostTests, testUnbroken } from './sabotage/judge.mjs';
import { sabotages } from './sabotage/list.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const words = process.argv.slice(2);
const known = ['--list', '--check', '--write', '--broken-only'];
const unknown = words.find((word) => word.startsWith('-') && !known.includes(word));
if (unknown !== undefined) {
  // A full run takes a quarter of an hour, and a typo must not start it.
  process.stderr.write(`${unknown} is not an option; there are ${known.join(', ')}\n`);
  process.exit(2);
}
const names = words.filter((word) => !word.startsWith('--'));
const wanted = names.length > 0 ? names.map(sabotageNamed) : sabotages;
const widest = Math.max(...wanted.map(({ name }) => name.length));
const say = (text) => process.stdout.write(text);

if (words.includes('--list')) {
  for (const { name, breaks } of wanted) say(`${name.padEnd(widest)}  ${breaks}\n`);
  process.exit(0);
}

if (words.includes('--check')) {
  const misfits = wanted.flatMap((sabotage) => {
    try {
      patchedSources(root, sabotage);
      return [];
    } catch (error) {
      return [error.message];
    }
  });
  const lost = await lostTests(root, wanted);
  for (const fault of [...misfits, ...lost]) say(`${fault}\n\n`);
  say(`${wanted.length - misfits.length} of ${wanted.length} sabotages fit the source.\n`);
  say(`${wanted.length - lost.length} of ${wanted.length} have a test.\n`);
  process.exit(misfits.length + lost.length > 0 ? 1 : 0);
}

const built = spawnSync(process.execPath, [`${root}/scripts/build.mjs`, '--if-needed'], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

if (!words.includes('--broken-only')) {
  say(`The program as it is: the tests of ${wanted.length} sabotages …\n`);
  const complaints = await testUnbroken(root, wanted);
  if (complaints.length > 0) {
    say(`Red without any sabotage, so the rest would prove nothing:\n\n${complaints.join('\n\n')}\n`);
    process.exit(1);
  }
  say('All green.\n\n');
}

const outcomes = new Map();
for (const [index, sabotage] of wanted.entries()) {
  say(`${String(index + 1).padStart(2)}/${wanted.length}  ${sabotage.name.padEnd(widest)}  `);
  const outcome = await judge(root, sabotage);
  outcomes.set(sabotage.name, outcome);
  if (words.includes('--write')) {
    updateResults(root, (results) => {
      results.sabotages[sabotage.name] = { verdict: outcome.verdict };
    });
  }
  say(`${outcome.verdict.padEnd(12)}  ${outcome.seconds.toFixed(0)} s\n`);
  if (outcome.verdict === 'other reason') say(`${outcome.said.slice(0, 2_000)}\n`);
}

const unnoticed = [...outcomes].filter(([, { verdict }]) => verdict !== 'noticed').map(([name]) => name);
say(`\n${outcomes.size - unnoticed.length} of ${outcomes.size} were noticed by their test.\n`);
if (unnoticed.length > 0) say(`Not noticed: ${unnoticed.join(', ')}\n`);
process.exit(unnoticed.length > 0 ? 1 : 0);
