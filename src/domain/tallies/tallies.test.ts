import { describe, expect, it } from 'vitest';
import { someTime } from '../../../test/support/nouns.js';
import { rejectionReasons } from '../../contract/rejections.js';
import type { Rejections } from '../../model/rejections.js';
import { dayOf, dayText, type FormCount, quarterHourOf } from '../../model/tally.js';
import { createTallies, type TallyLimits, tallyLimits } from './tallies.js';

function talliesWith(limits: Partial<TallyLimits> = {}) {
  let now = someTime;
  let fault: Error | null = null;
  let onAdd = (): void => {};
  const writes: { counts: readonly FormCount[]; examples: readonly Rejections[] }[] = [];
  const tallies = createTallies({
    store: {
      async add(counts, examples) {
        onAdd();
        await Promise.resolve();
        if (fault) throw fault;
        writes.push({ counts: structuredClone(counts), examples });
      },
    },
    clock: { now: () => now },
    limits: { ...tallyLimits, ...limits },
  });
  return {
    tallies,
    writes,
    counts: () =>
      writes
        .flatMap((write) => write.counts)
        .map(({ formId, quarterHour, kind, count }) => [formId, quarterHour, kind, count]),
    seen: () => writes.flatMap((write) => write.examples).map(({ reason, seen }) => `${reason} ${seen}`),
    pass: (ms: number) => {
      now += ms;
    },
    failWith: (error: Error | null) => {
      fault = error;
    },
    duringAdd: (work: () => void) => {
      onAdd = work;
    },
  };
}

const somebody = (seen: string) => ({ seen, ip: '203.0.113.7', userAgent: 'Browser' });

describe('tallies', () => {
  it('are written in one go: counts by form, quarter hour and kind, and the last five examples', async () => {
    const { tallies, writes, counts, seen, pass } = talliesWith();
    for (let n = 1; n <= 7; n += 1) tallies.rejected('a', 'origin', somebody(`n${n}`));
    tallies.rejected('b', 'rate', somebody('b'));
    pass(15 * 60_000);
    tallies.rejected('a', 'origin', somebody('n8'));
    await tallies.write();
    const now = quarterHourOf(someTime);
    expect(writes).toHaveLength(1);
    expect(counts()).toEqual([
      ['a', now, 'refused_origin', 7],
      ['b', now, 'refused_rate', 1],
      ['a', now + 1, 'refused_origin', 1],
    ]);
    expect(seen()).toEqual(['origin n4', 'origin n5', 'origin n6', 'origin n7', 'origin n8', 'rate b']);
    expect(writes[0]?.examples.at(-1)).toMatchObject({
      formId: 'b',
      reason: 'rate',
      at: someTime,
      ip: '203.0.113.7',
      userAgent: 'Browser',
    });
  });

  it('write nothing when there is nothing, and nothing twice', async () => {
    const { tallies, writes } = talliesWith();
    await tallies.write();
    expect(writes).toEqual([]);
    tallies.count('a', 'refused_size');
    await Promise.all([tallies.write(), tallies.write()]);
    await tallies.write();
    expect(writes).toHaveLength(1);
  });

  it('lose nothing when the store fails, and add what came meanwhile', async () => {
    const { tallies, counts, seen, failWith, duringAdd } = talliesWith();
    tallies.rejected('a', 'origin', somebody('before'));
    failWith(new Error('disk'));
    duringAdd(() => tallies.rejected('a', 'origin', somebody('meanwhile')));
    await expect(tallies.write()).rejects.toThrow('disk');
    duringAdd(() => {});
    failWith(null);
    await tallies.write();
    expect(counts()).toEqual([['a', quarterHourOf(someTime), 'refused_origin', 2]]);
    expect(seen()).toEqual(['origin before', 'origin meanwhile']);
  });

  it('go in bounded transactions, and a write ends although others keep counting', async () => {
    const { tallies, writes, duringAdd } = talliesWith({ perWrite: 2 });
    let late = 0;
    duringAdd(() => {
      late += 1;
      tallies.count(`late${late}`, 'refused_size');
    });
    for (const form of ['a', 'b', 'c', 'd', 'e']) tallies.rejected(form, 'size', somebody(form));
    await tallies.write();
    expect(writes.map(({ counts }) => counts.length)).toEqual([2, 2, 2]);
    expect(writes.map(({ examples }) => examples.length)).toEqual([2, 2, 1]);
  });

  it('take bounded memory: further counters are not opened, known ones go on', async () => {
    const { tallies, counts, seen, failWith } = talliesWith({ counters: 3, lines: 2 });
    failWith(new Error('out of order for hours'));
    for (let form = 0; form < 1_000; form += 1) {
      for (const reason of rejectionReasons) tallies.rejected(`form${form}`, reason, somebody(reason));
      await tallies.write().catch(() => {});
    }
    for (let n = 0; n < 10; n += 1) tallies.rejected('form0', 'origin', somebody(`last${n}`));
    failWith(null);
    await tallies.write();
    expect(counts().map(([formId, , kind, count]) => [formId, kind, count])).toEqual([
      ['form0', 'refused_origin', 11],
      ['form0', 'refused_sandbox', 1],
      ['form0', 'refused_localhost', 1],
    ]);
    expect(seen()).toEqual([...[5, 6, 7, 8, 9].map((n) => `origin last${n}`), 'sandbox sandbox']);
  });

  it('name days in UTC', () => {
    const lastMoment = Date.UTC(2026, 10, 15, 23, 59, 59, 999);
    expect([dayText(dayOf(lastMoment)), dayText(dayOf(lastMoment + 1))]).toEqual([
      '2026-11-15',
      '2026-11-16',
    ]);
  });
});
