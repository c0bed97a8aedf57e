/** Runs named tests in a tree and reads how each of them ended. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A broken program may hang where the right one answers; only then is this reached. */
const mostMs = 30 * 60_000;
const endMs = 5_000;

/** The file and the name of each test that ran, whether it passed, and what it said. */
export async function runTests(root, files, namePattern, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-results-'));
  const outputFile = join(folder, 'results.json');
  const reporter = join(root, 'scripts', 'sabotage', 'reporter.mjs');
  try {
    const chosen = namePattern === '' ? [] : ['-t', namePattern];
    const projects = ['--project', 'units', '--project', 'embedded'];
    const words = [...projects, ...chosen, `--reporter=${reporter}`, ...files];
    const said = await run(root, words, { ...env, SABOTAGE_RESULTS: outputFile });
    return readResults(outputFile, said);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readResults(path, said) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).results;
  } catch {
    throw new Error(`The tests did not run to their end:\n${said.slice(-4_000)}`);
  }
}

/** Also where a test of ours runs this: the runner's own variables are not for the runner inside it. */
const plainEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|INLET_TEST_)/.test(name)),
  );

/** Resolves with what it printed, whatever its outcome: that stands in the results. */
function run(root, words, env) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--root', root, ...words], {
    cwd: root,
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a run that hangs is ended with every server that it started.
    detached: true,
  });
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended by itself.
    }
  };
  const onExit = () => end('SIGKILL');
  const onSignal = () => process.exit(1);
  process.once('exit', onExit);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
  const late = setTimeout(() => {
    end('SIGTERM');
    setTimeout(end, endMs, 'SIGKILL').unref();
  }, mostMs);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(late);
      // Servers of tests that failed before they came to their end.
      end('SIGKILL');
      process.off('exit', onExit);
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
      resolve(said);
    });
  });
}

export const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
