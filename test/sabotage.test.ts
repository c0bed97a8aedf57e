/**
 * Tests the tests: `npm run sabotage` breaks the program in many ways and takes a quarter of an hour. Only the cheap part runs here: every
 * sabotage still fits the source and has a test, and two of them are noticed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../scripts/sabotage.mjs', import.meta.url));

async function sabotage(...words: readonly string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, said };
}

it('every sabotage finds the piece of source that it breaks, exactly once, and has a test', async () => {
  const { code, said } = await sabotage('--check');
  expect(said).toMatch(/^(\d+) of \1 sabotages fit the source\.\n\1 of \1 have a test\.\n$/);
  expect(code).toBe(0);
});

it('a broken build turns its test red', { timeout: 5 * 60_000 }, async () => {
  const { code, said } = await sabotage(
    '--broken-only',
    'sweep-takes-uploads-in-flight',
    'lost-lease-still-records',
  );
  expect(said).toContain('2 of 2 were noticed by their test.');
  expect(code).toBe(0);
});

it('knows only what is listed', async () => {
  const { code, said } = await sabotage('no-such-thing');
  expect(said).toContain('There is no sabotage "no-such-thing"');
  expect(code).toBe(1);
});
