/** Exits with one sentence if Node is too old to build Inlet. Import it first. */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace(/^>=/, '');
const [major, minor] = needed.split('.').map(Number);
const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);

if (ourMajor < major || (ourMajor === major && ourMinor < minor)) {
  process.stderr.write(
    `Inlet needs Node ${needed} or newer, and this is Node ${process.versions.node}. Install a newer one: https://nodejs.org/en/download\n`,
  );
  process.exit(1);
}
