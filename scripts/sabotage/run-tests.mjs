/** Runs named tests in a tree and reads the result of each. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Only reached when a broken program hangs where the unbroken one responds. */
const mostMs = 30 * 60_000;
const endMs = 5_000;

const projects = ['--project', 'units', '--project', 'embedded'];

/** Returns the file and name of each test that ran, whether it passed, and its messages. */
export async function runTests(root, files, namePattern, env = {}) {
  const reporter = join(root, 'scripts', 'sabotage', 'reporter.mjs');
  const chosen = namePattern === '' ? [] : ['-t', namePattern];
  const { results } = await written((outputFile) =>
    run(root, ['run', ...projects, ...chosen, `--reporter=${reporter}`, ...files], {
      ...env,
      SABOTAGE_RESULTS: outputFile,
    }),
  );
  return results;
}

/** Returns the file and name of each test in these files, without running any. */
export async function listTests(root, files) {
  const tests = await written((outputFile) =>
    run(root, ['list', ...projects, `--json=${outputFile}`, ...files], {}),
  );
  return tests.map(({ file, name }) => ({ file: relative(root, file), name: name.replaceAll(' > ', ' ') }));
}

/** Returns what the test runner wrote into the file that it was given. */
async function written(work) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-results-'));
  const outputFile = join(folder, 'results.json');
  try {
    const said = await work(outputFile);
    try {
      return JSON.parse(readFileSync(outputFile, 'utf8'));
    } catch {
      throw new Error(`The tests did not run to their end:\n${said.slice(-4_000)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One of our own tests runs this too, and the variables of its runner must not reach the inner one. */
const plainEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|INLET_TEST_)/.test(name)),
  );

/** Resolves with the output, whatever the outcome: that is in the results. */
function run(root, words, env) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, ...words, '--root', root], {
    cwd: root,
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that a hanging run is ended with every server that it started.
    detached: true,
  });
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has already exited.
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
      // Ends servers that failed tests left running.
      end('SIGKILL');
      process.off('exit', onExit);
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
      resolve(said);
    });
  });
}

export const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
