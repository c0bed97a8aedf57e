/** Two builds of one checkout at once would delete each other's files: scripts/build-turn.mjs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const turns = fileURLToPath(new URL('../../scripts/build-turn.mjs', import.meta.url));

let folder: string;
const builds: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-turns-'));
});
afterEach(async () => {
  for (const build of builds.splice(0)) build.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Takes the turn and then does this. */
function build(name: string, then: string): ChildProcess {
  const script = `
    import { appendFileSync } from 'node:fs';
    import { takeTurn } from ${JSON.stringify(turns)};
    const say = (what) => appendFileSync('log', '${name} ' + what + '\\n');
    await takeTurn('dist/.building');
    say('begins');
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  builds.push(child);
  return child;
}

const log = (): Promise<string> => readFile(join(folder, 'log'), 'utf8').catch(() => '');
const ended = (child: ChildProcess): Promise<unknown> => once(child, 'exit');
/** Ends when its input ends. */
const untilTold = "await new Promise((end) => process.stdin.once('end', end).resume()); say('ends');";

it('a second build waits for the first one, and says so', async () => {
  const first = build('first', untilTold);
  await expect.poll(log).toBe('first begins\n');
  const second = build('second', '');
  const over = ended(second);
  let said = '';
  second.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said).toBe(`Waiting for another build, of process ${first.pid} …\n`);
  first.stdin?.end();
  await over;
  expect(await log()).toBe('first begins\nfirst ends\nsecond begins\n');
});

it('a build that was killed keeps nobody waiting', async () => {
  const first = build('first', untilTold);
  await expect.poll(log).toBe('first begins\n');
  const over = ended(first);
  first.kill('SIGKILL');
  await over;
  expect(await readFile(join(folder, 'dist', '.building'), 'utf8')).toBe(`${first.pid}`);
  await ended(build('second', ''));
  expect(await log()).toBe('first begins\nsecond begins\n');
  // Nothing is left of it.
  await writeFile(join(folder, 'dist', '.building'), 'free', { flag: 'wx' });
});
