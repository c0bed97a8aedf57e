import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import { dayOf, firstQuarterHourOf, utcDays } from '#inlet/model/tally.js';
import type { Store } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { failed } from './queue.js';
import {
  aForm,
  aMailOf,
  anEntry,
  claimed,
  day,
  epoch,
  made,
  madePlace,
  nextInstant,
  type Place,
} from './samples.js';

const today = dayOf(epoch);

const held = (place: Place, createdAt: number) => ({
  quarantined: {
    id: newId(createdAt),
    formId: place.form.id,
    projectId: place.project.id,
    data: '{}',
    metadata: { ip: '192.0.2.7', userAgent: '', submittedFrom: '', controlFields: null },
    field: '_gotcha',
    filesDropped: 0,
    createdAt,
  },
  idempotency: null,
});

const counts = async (store: Store, { form }: Place) =>
  (await store.tallies.days({ kind: 'form', formId: form.id }, utcDays(0, 40_000)))
    .map(({ day: of, kind, count }) => `${of - today} ${kind} ${count}`)
    .sort();

export function overviewContract(make: MakeHarness): void {
  describe('a commit', () => {
    const harness = shared(make);

    it('counts what it takes, by form and day of arrival, exactly', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = await madePlace(store);
      await store.commit([
        anEntry(place, { createdAt: epoch }),
        anEntry(other, { createdAt: epoch }),
        anEntry(place, { createdAt: epoch + day }),
        held(place, epoch),
        anEntry(place, { createdAt: epoch + 1 }),
      ]);
      await store.commit([anEntry(place, { createdAt: epoch })]);
      await store.tx((tx) => tx.submissions.create(anEntry(place, { createdAt: epoch })));
      expect(await counts(store, place)).toEqual(['0 quarantined 1', '0 received 4', '1 received 1']);
      expect(await counts(store, other)).toEqual(['0 received 1']);
    });

    it('that fails counts nothing, and deleting takes nothing back: it was received', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entry = await made(store, place, { createdAt: epoch });
      await expect(store.commit([anEntry(place), entry])).rejects.toMatchObject({ name: 'StoreConflict' });
      await store.submissions.delete(entry.submission.id, nextInstant());
      expect(await counts(store, place)).toEqual(['0 received 1']);
    });
  });

  describe('deleting several submissions', () => {
    const harness = shared(make);

    it('takes those of the account that are there, whole', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const outsider = await madePlace(store);
      const [one, two, kept] = [
        await made(store, place, { files: 2, deliveries: 1 }),
        await made(store, place, { files: 1 }),
        await made(store, place, { files: 1, deliveries: 1 }),
      ];
      const theirs = await made(store, outsider, { files: 1 });
      const ids = [one, two, theirs].map(({ submission }) => submission.id);
      const at = nextInstant();
      const done = await store.submissions.deleteSome(
        wholeAccount(place.accountId),
        [...ids, newId(epoch)],
        at,
      );
      expect(done.deleted).toBe(2);
      const files = [...one.files, ...two.files].map(({ id }) => id).sort();
      expect(done.files.map(({ id }) => id).sort()).toEqual(files);
      expect(await store.deliveries.listBySubmission(one.submission.id)).toEqual([]);
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
        1,
      );
      expect(await store.submissions.find(wholeAccount(place.accountId), kept.submission.id)).not.toBeNull();
      expect(
        await store.submissions.find(wholeAccount(outsider.accountId), theirs.submission.id),
      ).not.toBeNull();
      expect(await store.submissions.deleteSome(wholeAccount(place.accountId), ids, at)).toEqual({
        deleted: 0,
        files: [],
      });
    });
  });

  describe('the forms of an account', () => {
    const harness = shared(make);
    const times = { givenUpSince: epoch, waitingSince: epoch + 10 * day };

    it('are listed with their problems, counted up to the requested number', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const sandbox = { ...place, form: aForm(place.project.id, { validationMode: 'sandbox' }) };
      await store.forms.create(sandbox.form);
      const gone = { ...place, form: aForm(place.project.id) };
      await store.forms.create(gone.form);
      await store.forms.markDeleted(gone.form.id, nextInstant());
      await madePlace(store);
      for (let n = 0; n < 3; n += 1) {
        await made(store, place, { deliveries: 1, createdAt: times.waitingSince - 1 - n });
      }
      await made(store, place, { deliveries: 1, createdAt: times.waitingSince });
      await made(store, place);
      await store.commit([held(sandbox, epoch), held(sandbox, epoch + 1)]);
      const { id, name, projectId } = place.form;
      const expected = [
        {
          formId: id,
          formName: name,
          projectId,
          isSandbox: false,
          undelivered: 0,
          waiting: 3,
          quarantined: 0,
        },
        {
          formId: sandbox.form.id,
          formName: sandbox.form.name,
          projectId,
          isSandbox: true,
          undelivered: 0,
          waiting: 0,
          quarantined: 2,
        },
      ];
      expect(await store.tallies.troubles(wholeAccount(place.accountId), times, 100)).toEqual(expected);
      const few = await store.tallies.troubles(wholeAccount(place.accountId), times, 1);
      expect(few.map(({ waiting, quarantined }) => [waiting, quarantined])).toEqual([
        [1, 0],
        [0, 1],
      ]);
    });

    it('are listed with webhooks that were given up since a time', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const old = await made(store, place, { deliveries: 1, createdAt: epoch - 1 });
      const recent = await made(store, place, { deliveries: 1, createdAt: epoch + 1 });
      const lease = { token: newId(epoch), owner: 'owner', until: epoch + 900 * day };
      const both = [...old.deliveries, ...recent.deliveries];
      await claimed(store, both, lease, epoch + 5 * day);
      const records = both.map((delivery) => ({
        deliveryId: delivery.id,
        submissionId: delivery.submissionId,
        token: lease.token,
        settled: failed,
        url: delivery.url,
        attempt: {
          number: 1,
          at: epoch,
          trigger: 'auto',
          status: 500,
          durationMs: 1,
          error: 'http_5xx',
          response: null,
          dnsMs: null,
          connectMs: null,
          firstByteMs: null,
          remoteAddress: null,
          request: null,
          responseHeaders: null,
        } as const,
      }));
      await store.queue.runCycle({
        records,
        releases: [],
        unconfirmed: [],
        picks: [],
        lease,
        now: epoch + 5 * day,
      });
      const [form] = await store.tallies.troubles(wholeAccount(place.accountId), times, 100);
      expect([form?.undelivered, form?.waiting]).toEqual([1, 0]);
    });

    it('are listed without mails, which are counted by the response of their server', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      for (const state of ['failed', 'pending'] as const) {
        const entry = anEntry(place, { createdAt: epoch + 1 });
        await store.commit([{ ...entry, deliveries: [aMailOf(place, entry, { state })] }]);
        await run(`UPDATE submissions SET webhook_state = '${state}' WHERE id = '${entry.submission.id}'`);
      }
      const [form] = await store.tallies.troubles(wholeAccount(place.accountId), times, 100);
      expect([form?.undelivered, form?.waiting]).toEqual([0, 0]);
    });

    it('are listed with the requested kinds', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const outsider = await madePlace(store);
      const count = (formId: string, kind: 'mail_refused' | 'refused_rate', of: number, n: number) =>
        ({ formId, kind, quarterHour: firstQuarterHourOf(of), count: n }) as const;
      await store.tallies.add(
        [
          count(place.form.id, 'mail_refused', today, 2),
          count(place.form.id, 'mail_refused', today - 1, 3),
          count(place.form.id, 'mail_refused', today - 2, 100),
          count(place.form.id, 'refused_rate', today, 100),
          count(outsider.form.id, 'mail_refused', today, 100),
        ],
        [],
      );
      expect(
        await store.tallies.byForm(wholeAccount(place.accountId), today - 1, [
          'mail_refused',
          'mail_delayed',
        ]),
      ).toEqual([{ formId: place.form.id, kind: 'mail_refused', count: 5 }]);
    });
  });

  it('a store says what it is and how large', async () => {
    const { store, dispose } = await make();
    const { engine, sizeBytes } = await store.describe();
    expect(engine).toMatch(/^[a-z]+$/);
    expect(sizeBytes).toBeGreaterThan(1_000);
    await dispose();
  });
}
