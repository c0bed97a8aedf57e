/** Runs the fuzzer by hand, for as long as you like: `npm run fuzz -- --minutes 10 [--target multipart] [--seed N]`. */
import { parseArgs } from 'node:util';
import { growth, type Run, run } from './engine.js';

import { tellFind, writeFind } from './finds.js';
import { targets } from './targets.js';
import type { Vitals } from './vitals.js';
import { createWorld, type World } from './world.js';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** How many times the cases of a test are sent before the next target starts. */
const runsOfATurn = 1;

interface Wish {
  readonly minutes: number;
  readonly names: readonly string[];
  readonly seed: number;
}

function wishOf(words: readonly string[]): Wish {
  const { values } = parseArgs({
    args: [...words],
    options: {
      minutes: { type: 'string', default: '5' },
      target: { type: 'string', multiple: true },
      seed: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  const names = values.target ?? Object.keys(targets);
  const unknown = names.filter((name) => !(name in targets));
  if (unknown.length > 0)
    throw new Error(`No target is called ${unknown}; there are ${Object.keys(targets).join(', ')}`);
  if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('--minutes and --seed are numbers');
  return { minutes, names, seed };
}

async function play(world: World, name: string, seed: number, until: number): Promise<Run> {
  const target = targets[name];
  if (!target) throw new Error(`No target is called ${name}`);
  const ready = await target.prepare(world);
  try {
    const done = await run(world, ready, { seed, cases: target.cases * runsOfATurn, until });
    for (const find of done.finds) say(`FIND ${tellFind(await writeFind(world, ready, find))}`);
    return done;
  } finally {
    await ready.close?.();
  }
}

const shown = (statuses: Run['statuses']): string =>
  [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status || 'closed'} ${count}`)
    .join(', ');

export async function main(words: readonly string[]): Promise<number> {
  const { minutes, names, seed } = wishOf(words);
  const until = Date.now() + minutes * 60_000;
  say(`seed ${seed}, ${minutes} minutes, ${names.join(', ')}`);
  const cases = new Map<string, number>();
  let finds = 0;
  let rested: Vitals | null = null;
  let world = await createWorld();
  try {
    for (let turn = 0; Date.now() < until; turn += 1) {
      const name = names[turn % names.length] ?? '';
      const ofTurn = (seed + turn) >>> 0;
      const done = await play(world, name, ofTurn, until);
      cases.set(name, (cases.get(name) ?? 0) + done.cases);
      finds += done.finds.length;
      const leftMs = Math.max(0, until - Date.now());
      say(
        `${name} (seed ${ofTurn}): ${done.cases} cases, ${done.finds.length} finds; ${shown(done.statuses)}; ` +
          `${Math.ceil(leftMs / 1000)} s left`,
      );
      if (!world.isAlive()) {
        await world.close();
        world = await createWorld();
        rested = null;
      }
      // Once every target has run, all caches are in use. From then on nothing may grow.
      if (turn === names.length - 1) rested = await world.vitals();
    }
    const now = await world.vitals();
    const { heapBytes, residentBytes, descriptors } = now;
    say(`after all: heap ${mib(heapBytes)}, resident ${mib(residentBytes)}, ${descriptors} descriptors`);
    const fault = rested ? growth(rested, now, total(cases)) : null;
    if (fault !== null) {
      finds += 1;
      say(`FIND over the whole run: ${fault}`);
    }
  } finally {
    await world.close();
  }
  say([...cases].map(([name, count]) => `${name} ${count}`).join(', '));
  say(`${total(cases)} cases, ${finds} finds, seed ${seed}`);
  return finds === 0 ? 0 : 1;
}

const total = (cases: ReadonlyMap<string, number>): number =>
  [...cases.values()].reduce((sum, count) => sum + count, 0);

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
