import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import { type Delivery, type DeliveryState, queues } from '../../../src/model/delivery.js';
import type { DeliveryFilter, DeliveryPlace, ResendChoice } from '../../../src/ports/deliveries.js';
import type { OwnerScope, Store } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { delivered } from './queue.js';
import { aForm, anEntry, claimed, day, epoch, made, madePlace, type Place } from './samples.js';

const none: DeliveryFilter = { state: null, url: null };
const ofForm = ({ form }: Place): OwnerScope => ({ kind: 'form', formId: form.id });

/** Makes the one attempt that ends the delivery. */
async function end(store: Store, delivery: Delivery, state: DeliveryState, status: number): Promise<void> {
  const lease = { token: newId(epoch), owner: 'owner', until: epoch + 900 * day };
  const now = epoch + 800 * day;
  await claimed(store, [delivery], lease, now);
  const record = {
    deliveryId: delivery.id,
    submissionId: delivery.submissionId,
    token: lease.token,
    settled: { ...delivered, state, nextAttemptAt: state === 'pending' ? epoch : null },
    url: delivery.url,
    attempt: {
      number: 1,
      at: epoch,
      trigger: 'auto',
      status,
      durationMs: 5,
      error: state === 'delivered' ? null : 'http_5xx',
      response: null,
      dnsMs: null,
      connectMs: null,
      firstByteMs: null,
      remoteAddress: null,
      request: null,
      responseHeaders: null,
    } as const,
  };
  await store.queue.runCycle({ records: [record], releases: [], unconfirmed: [], picks: [], lease, now });
}

/** The ids of all pages, and the number of pages. */
async function all(
  store: Store,
  scope: OwnerScope,
  filter: Partial<DeliveryFilter> = {},
  limit = 100,
): Promise<{ ids: readonly string[]; pages: number }> {
  const ids: string[] = [];
  let after: DeliveryPlace | null = null;
  let pages = 0;
  do {
    const page = await store.deliveries.list(scope, { ...none, ...filter }, { limit, after });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    ids.push(...page.items.map(({ id }) => id));
    after = page.next;
    pages += 1;
  } while (after !== null);
  return { ids, pages };
}

export function deliveryListContract(make: MakeHarness): void {
  describe('a list of deliveries', () => {
    const harness = shared(make);

    it('goes from the newest submission to the oldest, whatever the size of its pages', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = [];
      for (let n = 0; n < 7; n += 1) entries.push(await made(store, place, { deliveries: n % 3 }));
      const wanted = entries
        .flatMap(({ deliveries }) => deliveries)
        .map(({ id }) => id)
        .toReversed();
      for (const limit of [1, 2, 3, 7, 100]) {
        expect((await all(store, ofForm(place), {}, limit)).ids).toEqual(wanted);
      }
    });

    it('shows a delivery as it stands, without its body', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { deliveries } = await made(store, place, { deliveries: 1 });
      const [delivery] = deliveries as [Delivery];
      const { body, lane, extraAttempts, resumeAt, heldUntil, ...rest } = delivery;
      const look = async () =>
        (await store.deliveries.list(ofForm(place), none, { limit: 5, after: null })).items;
      const untried = { lastStatus: null, lastError: null, lastAttemptAt: null, pausedIn: null };
      expect(await look()).toEqual([{ ...rest, ...untried }]);
      await end(store, delivery, 'failed', 503);
      expect(await look()).toEqual([
        {
          ...rest,
          state: 'failed',
          queue: queues.later,
          attempt: 1,
          nextAttemptAt: null,
          lastStatus: 503,
          lastError: 'http_5xx',
          lastAttemptAt: epoch,
          pausedIn: null,
        },
      ]);
    });

    it('tells which folder a delivery waits for, and gives the data of its submission up to a size', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, deliveries } = await made(store, place, { deliveries: 2 });
      const [ended] = deliveries as [Delivery];
      await end(store, ended, 'failed', 503);
      const look = async () =>
        (await store.deliveries.list(ofForm(place), none, { limit: 5, after: null })).items
          .map(({ state, pausedIn }) => [state, pausedIn])
          .sort();
      for (const folder of ['spam', 'trash'] as const) {
        await store.inbox.change(wholeAccount(place.accountId), null, [submission.id], { folder }, epoch);
        expect(await look()).toEqual([
          ['failed', null],
          ['pending', folder],
        ]);
      }
      const bytes = Buffer.byteLength(submission.data);
      expect(await store.deliveries.dataOf([submission.id, submission.id], bytes)).toEqual(
        new Map([[submission.id, submission.data]]),
      );
      expect(await store.deliveries.dataOf([submission.id], bytes - 1)).toEqual(new Map());
      expect(await store.deliveries.dataOf([], bytes)).toEqual(new Map());
    });

    it('is of a form, or of all forms of a project that are not deleted', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const second = { ...place, form: aForm(place.project.id) };
      await store.forms.create(second.form);
      const outsider = await madePlace(store);
      await made(store, outsider, { deliveries: 1 });
      const [one] = (await made(store, place, { deliveries: 1 })).deliveries;
      const [two] = (await made(store, second, { deliveries: 1 })).deliveries;
      const project = { kind: 'project', projectId: place.project.id } as const;
      expect((await all(store, ofForm(second))).ids).toEqual([two?.id]);
      expect((await all(store, project)).ids).toEqual([two?.id, one?.id]);
      await store.forms.markDeleted(second.form.id, epoch);
      for (const state of [null, 'pending'] as const) {
        expect((await all(store, project, { state })).ids).toEqual([one?.id]);
      }
    });

    it('is filtered by state and address, also where a submission has deliveries in several states', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const states: readonly (readonly [DeliveryState, DeliveryState])[] = [
        ['delivered', 'failed'],
        ['failed', 'pending'],
        ['pending', 'pending'],
        ['delivered', 'delivered'],
        ['failed', 'failed'],
        ['suppressed', 'delivered'],
        ['suppressed', 'suppressed'],
      ];
      const rows: { id: string; url: string; state: DeliveryState }[] = [];
      for (const wanted of states) {
        const { deliveries } = await made(store, place, { deliveries: 2 });
        for (const [index, delivery] of deliveries.entries()) {
          const state = wanted[index] ?? 'pending';
          if (state !== 'pending') await end(store, delivery, state, 200);
          rows.unshift({ id: delivery.id, url: delivery.url, state });
        }
      }
      for (const state of [null, 'pending', 'failed', 'delivered', 'suppressed'] as const) {
        for (const url of [null, 'https://example.com/hook/1']) {
          const ids = rows
            .filter((row) => (state === null || row.state === state) && (url === null || row.url === url))
            .map(({ id }) => id);
          for (const limit of [1, 3, 100]) {
            expect((await all(store, ofForm(place), { state, url }, limit)).ids).toEqual(ids);
          }
        }
      }
      expect((await all(store, ofForm(place), { url: 'https://example.com/other' })).ids).toEqual([]);
    });

    it('ends a page after so many submissions, and goes on from there', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [oldest] = (await made(store, place, { deliveries: 2 })).deliveries.slice(1);
      for (let n = 0; n < 11; n += 1) {
        await store.commit(Array.from({ length: 500 }, () => anEntry(place, { deliveries: 1 })));
      }
      const { ids, pages } = await all(store, ofForm(place), { url: 'https://example.com/hook/1' });
      expect(ids).toEqual([oldest?.id]);
      expect(pages).toBe(2);
    });

    it('is not needed to know how the webhooks of a submission stand', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const gone = await madePlace(store);
      const [one, plain, deleted] = [
        await made(store, place, { deliveries: 1 }),
        await made(store, place),
        await made(store, gone, { deliveries: 1 }),
      ];
      await end(store, one.deliveries[0] as Delivery, 'failed', 500);
      await store.forms.markDeleted(gone.form.id, epoch);
      const ids = [one, plain, deleted].map(({ submission }) => submission.id);
      expect(await store.deliveries.webhookStates([...ids, newId(epoch)])).toEqual([
        {
          submissionId: one.submission.id,
          formId: place.form.id,
          projectId: place.project.id,
          accountId: place.accountId,
          state: 'failed',
        },
      ]);
      expect(await store.deliveries.webhookStates([])).toEqual([]);
    });

    it('is counted as far as it is asked for', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await made(store, place, { deliveries: 2 });
      const pending = await store.deliveries.countPending(1_000_000);
      const [delivery] = (await made(store, place, { deliveries: 1 })).deliveries as [Delivery];
      expect(await store.deliveries.countPending(1_000_000)).toBe(pending + 1);
      const move = (folder: 'trash' | 'inbox') =>
        store.inbox.change(wholeAccount(place.accountId), null, [delivery.submissionId], { folder }, epoch);
      await move('trash');
      expect(await store.deliveries.countPending(1_000_000)).toBe(pending);
      await move('inbox');
      expect(await store.deliveries.countPending(1_000_000)).toBe(pending + 1);
      await end(store, delivery, 'delivered', 200);
      expect(await store.deliveries.countPending(1_000_000)).toBe(pending);
      expect(await store.deliveries.countPending(2)).toBe(2);
    });
  });

  describe('counts of deliveries', () => {
    const harness = shared(make);
    const nothing = { pending: 0, paused: 0, delivered: 0, failed: 0 };

    it('are of the submissions of a span of time, each delivery once, as it stands', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const start = epoch + 500 * day;
      const at = (createdAt: number) => made(store, place, { deliveries: 2, createdAt });
      const [first, second, last] = [await at(start), await at(start + day - 1), await at(start + day)];
      const [one, two] = first.deliveries as [Delivery, Delivery];
      await end(store, one, 'delivered', 200);
      await end(store, two, 'failed', 503);
      await end(store, second.deliveries[0] as Delivery, 'delivered', 200);
      const times = [start - day, start, start + day, start + 2 * day];
      const counted = [
        nothing,
        { ...nothing, pending: 1, delivered: 2, failed: 1 },
        { ...nothing, pending: 2 },
      ];
      for (const scope of [
        ofForm(place),
        { kind: 'project', projectId: place.project.id } as const,
        { kind: 'account', reach: wholeAccount(place.accountId) } as const,
      ]) {
        expect(await store.deliveries.counts(scope, times)).toEqual(counted);
      }
      expect(await store.deliveries.counts(ofForm(place), [start])).toEqual([]);
      await store.inbox.change(
        wholeAccount(place.accountId),
        null,
        [last.submission.id],
        { folder: 'spam' },
        epoch,
      );
      expect(await store.deliveries.counts(ofForm(place), times.slice(-2))).toEqual([
        { ...nothing, paused: 2 },
      ]);
      await store.submissions.delete(last.submission.id, epoch);
      expect(await store.deliveries.counts(ofForm(place), times.slice(-2))).toEqual([nothing]);
      const outsider = await madePlace(store);
      const scope = { kind: 'account', reach: wholeAccount(outsider.accountId) } as const;
      expect(await store.deliveries.counts(scope, times)).toEqual([nothing, nothing, nothing]);
    });

    it('leave out what was suppressed, which makes no state of a submission either', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const createdAt = epoch + 500 * day;
      const { submission, deliveries } = await made(store, place, { deliveries: 2, createdAt });
      const [one, two] = deliveries as [Delivery, Delivery];
      const times = [createdAt, createdAt + day];
      await end(store, one, 'suppressed', 200);
      expect(await store.deliveries.counts(ofForm(place), times)).toEqual([{ ...nothing, pending: 1 }]);
      await end(store, two, 'suppressed', 200);
      expect(await store.deliveries.counts(ofForm(place), times)).toEqual([nothing]);
      expect(
        (await store.submissions.find(wholeAccount(place.accountId), submission.id))?.deliveryState,
      ).toBeNull();
    });
  });

  describe('what is sent again', () => {
    const harness = shared(make);

    it('is the account’s: these deliveries, or what has not arrived of these submissions', async () => {
      const { store } = harness();
      const [place, outsider] = [await madePlace(store), await madePlace(store)];
      const { submission, deliveries } = await made(store, place, { deliveries: 2 });
      const [one, two] = deliveries as [Delivery, Delivery];
      await end(store, one, 'delivered', 200);
      const found = async (accountId: string, choice: ResendChoice) =>
        (await store.deliveries.listResendable(wholeAccount(accountId), choice)).map(({ id }) => id);
      const ids = { deliveryIds: [one.id, two.id, newId(epoch)] };
      const ofSubmission = { submissionIds: [submission.id] };
      expect(await found(place.accountId, ids)).toEqual([one.id, two.id]);
      expect(await found(place.accountId, ofSubmission)).toEqual([two.id]);
      expect(await found(place.accountId, { deliveryIds: [] })).toEqual([]);
      for (const choice of [ids, ofSubmission]) expect(await found(outsider.accountId, choice)).toEqual([]);
      const [item] = await store.deliveries.listResendable(wholeAccount(place.accountId), ofSubmission);
      const { id, submissionId, formId, projectId, destinationId, kind, target, url } = two;
      expect(item).toEqual({ id, submissionId, formId, projectId, destinationId, kind, target, url });
    });

    it('is due when its turn comes', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, deliveries } = await made(store, place, { deliveries: 1 });
      const [one] = deliveries as [Delivery];
      await end(store, one, 'failed', 503);
      const again = { id: one.id, url: one.url, trigger: 'replay', queue: queues.replay } as const;
      const now = epoch + 801 * day;
      expect(await store.deliveries.resend(again, submission.id, now, now + 300)).toBe(true);
      expect(await store.deliveries.find(wholeAccount(place.accountId), one.id)).toMatchObject({
        state: 'pending',
        nextAttemptAt: now + 300,
      });
    });
  });
}
