/**
 * The fuzzer as it runs before every change: earlier finds first, then a fixed number of cases of every kind, from fixed seeds. A run that
 * fails today fails again. To search further, run `npm run fuzz`, see README.md.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromFixture } from './case.js';
import { run, tryAlone } from './engine.js';
import { tellFind, writeFind } from './finds.js';
import { type ClosingPlay, targets } from './targets.js';
import { createWorld, type World } from './world.js';

const seed = 20_260_101;
/** Only a machine that stalls comes near: the number of cases is fixed, not the time. A find is shrunk before it is reported. */
const timeoutMs = 300_000;

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

async function withPlay(name: string, use: (play: ClosingPlay) => Promise<void>): Promise<void> {
  const target = targets[name];
  if (!target) throw new Error(`No target is called ${name}`);
  const play = await target.prepare(world);
  try {
    await use(play);
  } finally {
    await play.close?.();
  }
}

describe('what was found before', () => {
  const folders = existsSync(fixtures) ? readdirSync(fixtures) : [];
  const files = folders.flatMap((folder) =>
    readdirSync(`${fixtures}${folder}`).map((name) => `${folder}/${name}`),
  );
  it.each(files)('%s', async (file) => {
    const { target, fuzzCase } = fromFixture(readFileSync(fixtures + file, 'utf8'));
    await withPlay(target, async (play) => {
      expect(await tryAlone(world, play, fuzzCase)).toBeNull();
    });
  });
});

describe('new cases', () => {
  it.each(Object.keys(targets))(
    '%s',
    async (name) => {
      await withPlay(name, async (play) => {
        const planned = targets[name]?.cases ?? 0;
        const { cases, finds } = await run(world, play, { seed, cases: planned, maxFinds: 1 });
        const told: string[] = [];
        for (const find of finds) told.push(tellFind(await writeFind(world, play, find)));
        expect(told, `seed ${seed}`).toEqual([]);
        expect(cases).toBe(planned);
      });
    },
    timeoutMs,
  );
});
