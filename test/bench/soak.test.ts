/** The soak test, for seconds instead of hours: it runs, checks what it claims to check, and writes its report. */
import { spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { childrenOf, until, untilGone } from '../support/processes.js';
import { temporaryFolder } from '../support/server.js';

const script = fileURLToPath(new URL('../../bench/soak.mjs', import.meta.url));

interface SoakResult {
  readonly checks: readonly {
    readonly name: string;
    readonly found: string;
    readonly holds: boolean | null;
  }[];
  readonly samples: readonly Readonly<Record<string, number>>[];
  readonly restarts: readonly unknown[];
  readonly answers: Readonly<Record<string, number>>;
}

function soak(words: readonly string[]): Promise<{ code: number | null; output: string; faults: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let faults = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      faults += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, faults }));
  });
}

it('loses nothing in a short run with a restart and faulty receivers, and says so', async () => {
  const folder = await temporaryFolder();
  try {
    const { code, output, faults } = await soak(['--seconds', '12', '--rate', '20', '--out', folder]);
    // The whole output, because it says which checks failed.
    if (code !== 0) throw new Error(`It ended with ${code}:\n${output}\n${faults}`);
    const files = await readdir(folder);
    const named = (end: string) => files.find((name) => name.endsWith(end)) ?? `no ${end}`;
    const result: SoakResult = JSON.parse(await readFile(join(folder, named('.json')), 'utf8'));
    expect(result.restarts).toHaveLength(1);
    expect(result.samples.length).toBeGreaterThan(0);
    expect(result.answers['json 200']).toBeGreaterThan(0);
    expect(result.checks.filter(({ holds }) => holds === false)).toEqual([]);
    const page = await readFile(join(folder, named('.md')), 'utf8');
    for (const { name } of result.checks) expect(page).toContain(name);
    for (const [, image = ''] of page.matchAll(/\]\(([^)]+\.svg)\)/g)) {
      expect(await readFile(join(folder, image), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    }
    expect(files.filter((name) => name.endsWith('.svg'))).toHaveLength(5);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 180_000);

it('takes its server along when it is broken off', async () => {
  const folder = await temporaryFolder();
  const child = spawn(process.execPath, [script, '--seconds', '600', '--out', folder], { stdio: 'ignore' });
  try {
    const server = await until('it has a server', () => childrenOf(child.pid as number)[0]);
    child.kill('SIGTERM');
    await untilGone(server);
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

it.each([[['--seconds', '1']], [['--minutes', 'x']], [['--rate', '0']], [['--hours', '1']]])(
  'says how it is used when it is asked for what it cannot do: %j',
  async (words) => {
    const { code, faults } = await soak(words);
    expect(code).toBe(2);
    expect(faults).toContain('node bench/soak.mjs');
  },
);
