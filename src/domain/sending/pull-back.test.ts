import { describe, expect, it } from 'vitest';
import { only } from '../../../test/support/ports.js';
import { queues } from '../../model/delivery.js';
import type { DeliveryQueue, PullBack, QueuePlace, WaitingDelivery } from '../../ports/delivery-queue.js';
import { createPullBack } from './pull-back.js';

const minute = 60_000;
const hour = 60 * minute;
const slack = 15 * minute;
const leaseMs = 2 * minute;
const now = Date.UTC(2031, 0, 1);

const waits = (id: string, dueIn: number, some: Partial<WaitingDelivery> = {}): WaitingDelivery => ({
  id,
  destinationId: 'usual',
  kind: 'webhook',
  formId: 'form',
  projectId: 'project',
  target: 'form',
  url: 'https://a.test/',
  attempt: 0,
  extraAttempts: 0,
  heldUntil: null,
  dueAt: now + dueIn,
  ...some,
});

const delays: Record<string, readonly number[]> = { usual: [minute, 2 * hour], patient: [40 * hour] };

/** Each page is one step; null ends the walk. */
function scene(pages: readonly (readonly WaitingDelivery[])[]) {
  const pulled: PullBack[] = [];
  const asked: (QueuePlace | null)[] = [];
  let judgedBySchedule = 0;
  const placeOf = (page: number): QueuePlace => ({ lane: '', queue: queues.first, dueAt: 0, id: `${page}` });
  const step = createPullBack({
    queue: only<DeliveryQueue>({
      async listWaiting(after) {
        asked.push(after);
        const page = after === null ? 0 : Number(after.id);
        return { waiting: pages[page] ?? [], next: page + 1 < pages.length ? placeOf(page + 1) : null };
      },
      async pullBack(rows) {
        pulled.push(...rows);
        return rows.length;
      },
    }),
    async delaysOf({ destinationId }) {
      judgedBySchedule += 1;
      return delays[destinationId] ?? [];
    },
    leaseMs,
  });
  return {
    step,
    asked,
    pulled,
    judged: () => judgedBySchedule,
    ids: () => pulled.map(({ seen }) => seen.id),
  };
}

describe('what a clock that was set back left too late', () => {
  it('comes when its schedule says, and the rest stays', async () => {
    const late = waits('late', 3 * hour, { attempt: 1 });
    const { step, pulled } = scene([
      [late, waits('near', leaseMs + slack), waits('waits rightly', 2.2 * hour, { attempt: 2 })],
    ]);
    await step(now);
    expect(pulled).toEqual([{ seen: late, dueAt: now + minute }]);
  });

  it('is judged by the schedule of its own destination', async () => {
    const patient = { destinationId: 'patient', attempt: 1 };
    const { step, ids } = scene([
      [waits('rightly', 44 * hour, patient), waits('too late', 44 * hour + slack + 1, patient)],
    ]);
    await step(now);
    expect(ids()).toEqual(['too late']);
  });

  it('is judged by the attempts of its schedule, not by those that were asked for', async () => {
    const { step, pulled } = scene([
      [
        waits('rightly', 2 * hour, { attempt: 7, extraAttempts: 5 }),
        waits('too late', 2 * hour, { attempt: 7, extraAttempts: 6 }),
      ],
    ]);
    await step(now);
    expect(pulled).toMatchObject([{ seen: { id: 'too late' }, dueAt: now + minute }]);
  });

  it('may be what an endpoint asked for, up to a day', async () => {
    const held = { attempt: 1, heldUntil: 1 };
    const { step, ids } = scene([
      [waits('held', 24 * hour, held), waits('too late', 24 * hour + slack + 1, held)],
    ]);
    await step(now);
    expect(ids()).toEqual(['too late']);
  });

  it('asks no destination about what is due soon', async () => {
    const { step, judged } = scene([[waits('soon', minute), waits('due', -minute)]]);
    await step(now);
    expect(judged()).toBe(0);
  });

  it('is looked for every ten minutes, a page in each step, and at once when the clock is set back again', async () => {
    const { step, asked, ids } = scene([[waits('a', 9 * hour)], [waits('b', 9 * hour)]]);
    await step(now);
    expect(ids()).toEqual(['a']);
    await step(now + 1);
    expect(ids()).toEqual(['a', 'b']);
    await step(now + 10 * minute - 1);
    expect(asked).toHaveLength(2);
    await step(now + 10 * minute);
    expect(asked.map((after) => after?.id ?? null)).toEqual([null, '1', null]);
    await step(now - hour);
    expect(asked.at(-1)).toBeNull();
    expect(asked).toHaveLength(4);
  });
});
