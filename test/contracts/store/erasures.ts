import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import type { Erasure, PersonPlace } from '../../../src/model/erasure.js';
import type { PersonKey } from '../../../src/model/person.js';
import type { Store } from '../../../src/ports/store.js';
import { aDestination } from './destinations.js';
import { type MakeHarness, shared } from './harness.js';
import { aDelivery, anEntry, madePlace, nextInstant } from './samples.js';

const address = 'ada@x.test';
const key: PersonKey = { kind: 'email', tokens: [address] };

function anErasure(accountId: string, place: PersonPlace): Erasure {
  const createdAt = nextInstant();
  return {
    ...{ id: newId(createdAt), accountId, key, personHash: 'hash', q: address, createdAt },
    ...{ stage: 'rows', place, after: '', counts: {}, filesRemoved: 0, finishedAt: null },
  };
}

const suppress = (store: Store, accountId: string) =>
  store.suppressions.add({
    ...{ id: newId(nextInstant()), accountId, destinationId: null, address, createdAt: nextInstant() },
    ...{ reason: 'bounced', detail: `550 no ${address}` },
  });

export function erasuresContract(make: MakeHarness): void {
  describe('erasures', () => {
    const harness = shared(make);

    it('keep a suppressed address suppressed, without the address, however often', async () => {
      const { store } = harness();
      const { accountId } = await madePlace(store);
      for (let time = 1; time <= 2; time += 1) {
        await suppress(store, accountId);
        const erasure = anErasure(accountId, 'suppressed_addresses');
        await store.erasures.create(erasure);
        const { rows } = await store.persons.scan(accountId, 'suppressed_addresses', key, '');
        expect(rows.map(({ texts }) => texts)).toEqual([[address, `550 no ${address}`]]);
        const to = { stage: 'files', place: erasure.place, after: '' } as const;
        const step = { refs: rows.map(({ ref }) => ref), to, now: nextInstant() };
        const done = await store.erasures.eraseRows(erasure, step);
        expect(done).toMatchObject({
          isBusy: false,
          erasure: { ...to, counts: { suppressed_addresses: 1 } },
        });
        // Another process has already done it.
        expect(await store.erasures.eraseRows(erasure, step)).toBeNull();
        const listed = await store.suppressions.list(accountId, null, { limit: 10, after: null });
        expect(listed).toMatchObject([{ address: '[erased]', detail: '', reason: 'bounced' }]);
        expect(await store.suppressions.among(accountId, newId(nextInstant()), ['ADA@x.test'])).toHaveLength(
          1,
        );
      }
      expect(await store.suppressions.liftAddress(accountId, '', address)).toBe(true);
    });

    it('forget what was asked for when they end, and are found by their account only', async () => {
      const { store } = harness();
      const { accountId } = await madePlace(store);
      const other = await madePlace(store);
      const erasure = anErasure(accountId, 'submissions');
      await store.erasures.create(erasure);
      await store.erasures.create({ ...erasure, personHash: 'second' });
      expect(await store.erasures.find(accountId, erasure.id)).toEqual(erasure);
      expect(await store.erasures.find(other.accountId, erasure.id)).toBeNull();
      expect(await store.erasures.list(other.accountId)).toEqual([]);
      const unknown = newId(nextInstant());
      expect([...(await store.erasures.known([erasure.id, unknown]))]).toEqual([erasure.id]);
      expect((await store.erasures.listRunning()).map(({ id }) => id)).toContain(erasure.id);
      expect(await store.erasures.countRunning(accountId)).toBe(1);
      expect(await store.erasures.countRunning(other.accountId)).toBe(0);
      const now = nextInstant();
      const ended = await store.erasures.finish(erasure, [], now);
      expect(ended).toEqual({ ...erasure, stage: 'finished', q: null, finishedAt: now });
      expect(await store.erasures.find(accountId, erasure.id)).toEqual(ended);
      expect((await store.erasures.listRunning()).map(({ id }) => id)).not.toContain(erasure.id);
      expect(await store.erasures.countRunning(accountId)).toBe(0);
      expect(await store.erasures.enter(erasure, 'files')).toBeNull();
      expect(await store.erasures.finish(erasure, [], now)).toBeNull();
    });

    it('end with notices to the destinations that want them, once', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { accountId } = place;
      const asking = (owner: 'form' | 'project', isAsking: boolean, isActive = true) => {
        const one = aDestination(place, owner, { isActive });
        return one.kind === 'webhook' ? { ...one, config: { ...one.config, person_erased: isAsking } } : one;
      };
      const [ofForm, ofProject] = [asking('form', true), asking('project', true)];
      for (const one of [ofForm, ofProject, asking('form', false), asking('form', true, false)])
        await store.destinations.create(wholeAccount(accountId), one);
      const subscribers = await store.destinations.listErasureSubscribers(accountId);
      expect(subscribers.map(({ destination, formId }) => [destination.id, formId])).toEqual([
        [ofForm.id, place.form.id],
        [ofProject.id, place.form.id],
      ]);
      expect(await store.destinations.listErasureSubscribers((await madePlace(store)).accountId)).toEqual([]);

      const erasure = anErasure(accountId, 'submissions');
      await store.erasures.create(erasure);
      const now = nextInstant();
      const notice = (destinationId: string) => ({
        ...aDelivery(place, anEntry(place).submission, 0),
        ...{ id: newId(now), submissionId: erasure.id, destinationId, nextAttemptAt: now },
        lane: `https://example.com ${destinationId}`,
      });
      const lanes = async () =>
        (await store.queue.heads()).map(({ lane }) => lane).filter((lane) => lane.endsWith(ofForm.id));
      await store.erasures.finish(erasure, [notice(ofForm.id)], now);
      expect(await lanes()).toHaveLength(1);
      // Another process has already finished it.
      expect(await store.erasures.finish(erasure, [notice(ofProject.id)], now)).toBeNull();
      const waiting = await store.destinations.waiting([ofForm.id, ofProject.id], 10);
      expect([...waiting]).toEqual([[ofForm.id, 1]]);
    });
  });
}
