import { describe, expect, it } from 'vitest';
import type { Instance } from '../../wire.js';
import { checksOf } from './checks.js';

const healthy: Instance = {
  version: '1.0.0',
  node: '20.20.0',
  started_at: '2026-11-15T08:00:00.000Z',
  uptime_s: 60,
  database: { engine: 'sqlite', size_bytes: 48_200_000 },
  storage: { kind: 'disk', free_bytes: 80_000_000_000 },
  queue: { age_ms: 0, waiting: 0 },
  mail: { is_configured: true },
  processes: null,
  your_ip: '203.0.113.7',
};
const check = (change: Partial<Instance>, name: string) =>
  checksOf({ ...healthy, ...change }).find((each) => each.name === name);

describe('checksOf', () => {
  it('is good when all is', () => {
    expect(checksOf(healthy).map(({ state }) => state)).toEqual(['good', 'good', 'good', 'good']);
  });

  it('warns of a full disk, and knows that a bucket tells nothing', () => {
    expect(check({ storage: { kind: 'disk', free_bytes: 500_000_000 } }, 'File storage')).toMatchObject({
      state: 'bad',
      words: 'Disk, 500 MB free',
    });
    expect(check({ storage: { kind: 's3', free_bytes: null } }, 'File storage')?.state).toBe('good');
  });

  it.each([
    [0, 5_000, 'good'],
    [3, 5_000, 'good'],
    [3, 95_000, 'waiting'],
    [3, 3_600_000, 'bad'],
  ])('a queue of %i that is late by %i ms is %s', (waiting, age_ms, state) => {
    expect(check({ queue: { waiting, age_ms } }, 'Delivery queue')?.state).toBe(state);
  });

  it('leaves out what only the operator’s account is told', () => {
    const told = checksOf({
      ...healthy,
      database: { engine: 'postgres', size_bytes: null },
      storage: { kind: 'disk', free_bytes: null },
      queue: { age_ms: null, waiting: null },
    });
    expect(told.map(({ name, state, words }) => [name, state, words])).toEqual([
      ['Database', 'good', 'PostgreSQL'],
      ['File storage', 'good', 'Disk'],
      ['E-mail', 'good', 'A mail server is set'],
    ]);
  });

  it('does not call missing mail a fault', () => {
    expect(check({ mail: { is_configured: false } }, 'E-mail')?.state).toBe('off');
  });
});
