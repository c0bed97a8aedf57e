/** The fuzzer can fail: against a server with a planted fault it finds exactly that fault, and shrinks the case. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/kept.js';
import { plainCase } from './case.js';
import { type Play, ruleOf, run, type Subject } from './engine.js';
import { writeFind } from './finds.js';
import { mutateBytes } from './mutate.js';
import { shrink } from './shrink.js';
import { vitalArguments, vitalsOf } from './vitals.js';

const program = fileURLToPath(new URL('faulty-server.mjs', import.meta.url));

interface FaultyServer extends Subject {
  close(): Promise<void>;
}

async function startFaulty(): Promise<FaultyServer> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-fuzz-keeps-'));
  const child = spawn(process.execPath, [...vitalArguments, program], {
    env: { PATH: process.env.PATH, KEEP_IN: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  let isAlive = true;
  const gone = new Promise<void>((resolve) =>
    child.once('exit', () => {
      isAlive = false;
      resolve();
    }),
  );
  const portIn = (): number => Number(/^port (\d+)$/m.exec(output)?.[1] ?? 0);
  await waitUntil(() => portIn() > 0 || !isAlive);
  return {
    port: portIn(),
    values: new Map(),
    isAlive: () => isAlive,
    output: () => output,
    vitals: vitalsOf({ process: child, output: () => output }),
    look: async () => ({ files: readdirSync(folder).length }),
    async close() {
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The faults need a `%`, which about every third case has. */
const play = (path: string): Play => ({
  name: 'planted',
  atOnce: 8,
  generate: (chance) =>
    plainCase({
      method: 'POST',
      path,
      headers: ['Content-Type: text/plain', 'X-Beside: the point'],
      body: mutateBytes(chance, Buffer.from('a=b&c=%20d&e=f<fuzz onload=x>')),
    }),
});

const bounds = { seed: 7, cases: 120, maxFinds: 1, settleMs: 500 };

let server: FaultyServer;
beforeAll(async () => {
  server = await startFaulty();
});
afterAll(() => server?.close());

describe('a planted fault is found', () => {
  it.each([
    ['/fails', 'status'],
    ['/hangs', 'hang'],
    ['/leaks', 'growth'],
    ['/keeps', 'kept'],
    ['/tells', 'inside look'],
    ['/formless', 'error form'],
    ['/shows', 'content'],
    ['/logs', 'log'],
    ['/garbles', 'malformed'],
    ['/closes', 'silent'],
  ])('%s: %s', async (path, rule) => {
    // A hang is expected here, so the deadline is shorter than for real servers.
    const patience = path === '/hangs' ? { deadlineMs: 2_000 } : {};
    const { finds } = await run(server, play(path), { ...bounds, ...patience });
    expect(finds.map(({ fault }) => ruleOf(fault))).toEqual([rule]);
  });

  it('/dies: who was there is cut off, who comes later finds nobody', async () => {
    const mortal = await startFaulty();
    try {
      const { finds, cases } = await run(mortal, play('/dies'), bounds);
      const rules = finds.map(({ fault }) => ruleOf(fault));
      expect(rules).not.toEqual([]);
      for (const rule of rules) expect(['silent', 'unreachable', 'dead']).toContain(rule);
      expect(cases).toBeLessThan(bounds.cases);
      // The connections close a moment before the process is known to have exited.
      await waitUntil(() => !mortal.isAlive());
    } finally {
      await mortal.close();
    }
  });
});

it('what works is left alone', async () => {
  const { finds, cases } = await run(server, play('/works'), bounds);
  expect({ finds, cases }).toEqual({ finds: [], cases: bounds.cases });
});

it('the same seed sends the same cases', async () => {
  const sent = async (seed: number): Promise<string> => {
    const bodies: string[] = [];
    const watched: Play = {
      ...play('/works'),
      async judge({ fuzzCase }) {
        bodies.push(fuzzCase.body.toString('base64'));
        return null;
      },
    };
    await run(server, watched, { ...bounds, cases: 24, seed });
    return bodies.join();
  };
  expect(await sent(1)).toBe(await sent(1));
  expect(await sent(1)).not.toBe(await sent(2));
});

it('a find is made small, and written where it can be taken from', async () => {
  const { finds } = await run(server, play('/fails'), bounds);
  const [find] = finds;
  if (!find) throw new Error('Nothing was found');
  const written = await writeFind(server, play('/fails'), find);
  try {
    expect(JSON.parse(readFileSync(written.path, 'utf8'))).toMatchObject({
      target: 'planted',
      method: 'POST',
      path: '/fails',
      headers: [],
      body: '%',
      framing: 'length',
      pieces: 1,
    });
  } finally {
    await rm(dirname(written.path), { recursive: true, force: true });
  }
});

it('making smaller ends, also when everything fails', async () => {
  const large = plainCase({ headers: ['A: b', 'C: d'], body: Buffer.alloc(2_000, 'x') });
  expect(await shrink(large, async () => true)).toMatchObject({
    headers: [],
    body: Buffer.alloc(0),
    path: '',
  });
  expect(await shrink(large, async () => false)).toEqual(large);
});
