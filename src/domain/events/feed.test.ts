import { describe, expect, it } from 'vitest';
import { onlyStore } from '../../../test/support/ports.js';
import { memorySignals } from '../../adapters/signals/memory.js';
import { systemTimers } from '../../kernel/clock.js';
import { wholeAccount } from '../../model/reach.js';
import type { SubmissionWebhookState } from '../../ports/deliveries.js';
import { createEventFeed, type EventFilter, type LiveEvent } from './feed.js';

function feedWith(webhookStates: (ids: readonly string[]) => Promise<readonly SubmissionWebhookState[]>) {
  const signals = memorySignals();
  const faults: unknown[] = [];
  const feed = createEventFeed({
    store: onlyStore({ deliveries: { webhookStates } }),
    signals,
    timers: systemTimers,
    onFault: (error) => faults.push(error),
  });
  const listen = (filter: Partial<EventFilter> = {}) => {
    const heard: LiveEvent[] = [];
    const all = { reach: wholeAccount('a'), formId: null, projectId: null, withAudit: false, ...filter };
    return { heard, end: feed.listen(all, (event) => heard.push(event)) };
  };
  return { signals, listen, faults };
}

const received = (submissionId: string, accountId = 'a', formId = 'f', projectId = 'p') =>
  ({ kind: 'submission-received', submissionId, accountId, formId, projectId, createdAt: 1 }) as const;
const stateOf = (submissionId: string, accountId = 'a'): SubmissionWebhookState => ({
  submissionId,
  accountId,
  formId: 'f',
  projectId: 'p',
  state: 'delivered',
});

const submissionOf = (event: LiveEvent): string | null =>
  'submissionId' in event ? event.submissionId : null;

describe('the feed of events', () => {
  it('is of one account, and narrowed to a form or a project', async () => {
    const { signals, listen } = feedWith(async () => []);
    const [all, form, project, other, limited] = [
      listen(),
      listen({ formId: 'f' }),
      listen({ projectId: 'p2' }),
      listen({ reach: wholeAccount('b') }),
      listen({ reach: { accountId: 'a', projectIds: ['p2', 'p3'] } }),
    ];
    signals.publish(received('1'));
    signals.publish(received('2', 'a', 'f2', 'p2'));
    signals.publish(received('3', 'b'));
    await expect.poll(() => other.heard).toHaveLength(1);
    const ids = [all, form, project, other, limited].map(({ heard }) => heard.map(submissionOf));
    expect(ids).toEqual([['1', '2'], ['1'], ['2'], ['3'], ['2']]);
    expect(all.heard[0]).toEqual({
      kind: 'submission.created',
      submissionId: '1',
      formId: 'f',
      projectId: 'p',
      createdAt: 1,
    });
  });

  it('looks changes of webhooks up together, each submission once, and bounded', async () => {
    const looks: (readonly string[])[] = [];
    const { signals, listen } = feedWith(async (ids) => {
      looks.push(ids);
      return ids.map((id) => stateOf(id, id === 'theirs' ? 'b' : 'a'));
    });
    const { heard } = listen();
    for (const submissionId of ['1', '1', 'theirs', '2'])
      signals.publish({ kind: 'delivery-changed', submissionId });
    await expect.poll(() => heard).toHaveLength(2);
    expect(looks).toEqual([['1', 'theirs', '2']]);
    expect(heard[0]).toEqual({
      kind: 'delivery.changed',
      submissionId: '1',
      formId: 'f',
      projectId: 'p',
      webhookState: 'delivered',
    });
    for (let n = 0; n < 2_000; n += 1)
      signals.publish({ kind: 'delivery-changed', submissionId: `many${n}` });
    await expect.poll(() => looks).toHaveLength(2);
    expect(looks[1]).toHaveLength(500);
  });

  it('is heard only while somebody listens: nobody publishes for nothing', () => {
    const { signals, listen } = feedWith(async () => []);
    const heard = () => signals.isHeard('submission-received');
    expect(heard()).toBe(false);
    const [one, two] = [listen(), listen()];
    one.end();
    one.end();
    expect(heard()).toBe(true);
    two.end();
    expect(heard()).toBe(false);
    listen();
    expect(heard()).toBe(true);
  });

  it('goes on after a look that failed, and says so', async () => {
    let isBroken = true;
    const { signals, listen, faults } = feedWith(async (ids) => {
      if (isBroken) throw new Error('disk');
      return ids.map((id) => stateOf(id));
    });
    const { heard } = listen();
    signals.publish({ kind: 'delivery-changed', submissionId: '1' });
    await expect.poll(() => faults).toHaveLength(1);
    isBroken = false;
    signals.publish({ kind: 'delivery-changed', submissionId: '2' });
    await expect.poll(() => heard.map(submissionOf)).toEqual(['2']);
  });
});
