/** A form moves to another project: at once for new submissions, in steps for existing ones. */

import { describe, expect, it } from 'vitest';
import { builtInId, unknownHealth } from '#inlet/model/destination.js';
import { wholeAccount } from '#inlet/model/reach.js';
import { noFilter } from '../../../src/model/submission.js';
import type { HealthChange } from '../../../src/ports/destinations.js';
import type { NewSubmission, Store, SubmissionScope } from '../../../src/ports/store.js';
import { aDestination } from './destinations.js';
import { type MakeHarness, shared } from './harness.js';
import { anEntry, aProject, made, madePlace, nextInstant, type Place } from './samples.js';

interface Move {
  /** The old place. */
  readonly place: Place;
  /** The new place. */
  readonly there: Place;
}

async function aMove(store: Store): Promise<Move> {
  const place = await madePlace(store);
  return { place, there: await besides(store, place) };
}

/** The same form in another project of the account. */
async function besides(store: Store, place: Place): Promise<Place> {
  const project = aProject(place.accountId);
  await store.projects.create(project);
  return { ...place, project, form: { ...place.form, projectId: project.id } };
}

const move = (store: Store, { form, project }: Place): Promise<void> =>
  store.forms.move(form.id, { projectId: project.id, slug: form.slug, updatedAt: nextInstant() });

async function settle(store: Store): Promise<void> {
  while (await store.forms.moveStep());
}

const inProject = ({ project }: Place): SubmissionScope => ({ kind: 'project', projectId: project.id });

/** All pages, searched by words if there are any. */
async function listed(store: Store, scope: SubmissionScope, words: readonly string[] = []) {
  while (await store.indexStep());
  const ids: string[] = [];
  for (let after: string | null = null; ; ) {
    const page = await store.submissions.list(scope, { ...noFilter, words }, { limit: 100, after });
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) return ids.sort();
    after = page.next;
  }
}

const idsOf = (entries: readonly NewSubmission[]): readonly string[] =>
  entries.map(({ submission }) => submission.id).sort();

/** Distinct words, too many for one piece of the index. */
const manyWords = (count: number): string =>
  JSON.stringify({ text: Array.from({ length: count }, (_, n) => `word${n}`).join(' ') });

export function movingContract(make: MakeHarness): void {
  describe('a form that moves to another project', () => {
    const harness = shared(make);

    it('is in that project at once, under the given slug and with its destinations', async () => {
      const { store } = harness();
      const { place, there } = await aMove(store);
      const destination = aDestination(place, 'form');
      const ofProject = aDestination(place, 'project');
      for (const one of [destination, ofProject])
        await store.destinations.create(wholeAccount(place.accountId), one);
      const moved = { projectId: there.project.id, slug: 'moved', updatedAt: nextInstant() };
      await store.forms.move(place.form.id, moved);
      const form = { ...place.form, ...moved };
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.form).toEqual(form);
      expect(await store.forms.list(place.project.id, null, true)).toEqual([]);
      expect(await store.forms.list(there.project.id, null, true)).toEqual([{ form, submissionsCount: 0 }]);
      expect(await store.forms.findWithProject(form.id)).toEqual({ form, project: there.project });
      const intake = await store.forms.findForIntake(form.publicId);
      expect(intake).toMatchObject({ form, project: there.project });
      expect(intake?.destinations).toEqual([
        { ...destination, projectId: there.project.id, health: unknownHealth },
      ]);
      await settle(store);
    });

    it('takes its submissions along in steps, each found in one of the projects', async () => {
      const { store } = harness();
      const { place, there } = await aMove(store);
      const other = await madePlace(store, {
        account: await accountOf(store, place),
        project: place.project,
      });
      const entries = Array.from({ length: 450 }, (_, n) => anEntry(place, { data: `{"a":"common ${n}"}` }));
      await store.commit(entries);
      const stays = await made(store, other, { data: '{"a":"common"}' });
      const scopes = [inProject(place), inProject(there)] as const;
      await listed(store, scopes[0]);
      await move(store, there);

      expect(await store.forms.moveStep()).toBe(true);
      const [left, arrived] = [await listed(store, scopes[0]), await listed(store, scopes[1])];
      expect(arrived.length).toBeGreaterThan(0);
      expect(left.length).toBeGreaterThan(200);
      expect([...left, ...arrived].sort()).toEqual(idsOf([...entries, stays]));
      expect(await listed(store, scopes[1], ['common'])).toEqual(arrived);

      await settle(store);
      for (const words of [[], ['common']]) {
        expect(await listed(store, scopes[0], words)).toEqual([stays.submission.id]);
        expect(await listed(store, scopes[1], words)).toEqual(idsOf(entries));
      }
      expect(await listed(store, { kind: 'form', formId: place.form.id }, ['common'])).toEqual(
        idsOf(entries),
      );
      const [first] = entries;
      if (!first) throw new Error('There are some');
      expect(await store.submissions.find(wholeAccount(place.accountId), first.submission.id)).toMatchObject({
        projectId: there.project.id,
      });
    });

    it('is found by all words of large submissions, also of one that was being indexed', async () => {
      const { store } = harness();
      const { place, there } = await aMove(store);
      const indexed = await made(store, place, { data: manyWords(10_000) });
      await listed(store, inProject(place));
      const begun = await made(store, place, { data: manyWords(10_000) });
      await store.indexStep();
      await move(store, there);
      await settle(store);
      const waiting = await made(store, place, { data: manyWords(10_000) });
      for (const words of [['word1'], ['word9999'], ['word1', 'word9999']]) {
        expect(await listed(store, inProject(there), words)).toEqual(idsOf([indexed, begun, waiting]));
        expect(await listed(store, inProject(place), words)).toEqual([]);
      }
    });

    it('gets what is committed later by somebody who has not heard of it', async () => {
      const { store } = harness();
      const { place, there } = await aMove(store);
      await move(store, there);
      await settle(store);
      const late = await made(store, place, { files: 1 });
      const again = anEntry(place);
      await store.tx((tx) => tx.submissions.create(again));
      const imported = anEntry(place, { createdAt: 1_000_000_000_000 });
      await store.commit([{ imported: imported.submission, files: [] }]);
      expect(await listed(store, inProject(there))).toEqual(idsOf([late, again, imported]));
      expect(await listed(store, inProject(place))).toEqual([]);
      const found = await store.submissions.find(wholeAccount(place.accountId), late.submission.id);
      expect(found?.files.map(({ projectId }) => projectId)).toEqual([there.project.id]);
    });

    it('leaves nothing behind of what is committed at the same moment', async () => {
      const { store, another } = harness();
      const { place, there } = await aMove(store);
      const elsewhere = await another();
      const entries = Array.from({ length: 60 }, () => anEntry(place));
      const commits = entries.map((entry, n) => (n % 2 ? store : elsewhere).commit([entry]));
      await move(store, there);
      await settle(store);
      await Promise.all(commits);
      expect(await listed(store, inProject(there))).toEqual(idsOf(entries));
      expect(await listed(store, inProject(place))).toEqual([]);
      await elsewhere.close();
    });

    it('goes on after an end in the middle, and to the last of several projects', async () => {
      const { store, another } = harness();
      const { place, there } = await aMove(store);
      const last = await besides(store, place);
      const entries = Array.from({ length: 450 }, () => anEntry(place));
      await store.commit(entries);
      await move(store, there);
      await store.forms.moveStep();
      await move(store, last);
      await store.forms.moveStep();
      const next = await another();
      await settle(next);
      await next.close();
      expect(await listed(store, inProject(last))).toEqual(idsOf(entries));
      expect(await listed(store, inProject(there))).toEqual([]);
      expect(await listed(store, inProject(place))).toEqual([]);
    });

    it('is left alone once it is deleted, and keeps its submissions when its project before is', async () => {
      const { store } = harness();
      const [first, second] = [await aMove(store), await aMove(store)];
      const entry = await made(store, first.place);
      await made(store, second.place);
      for (const { there } of [first, second]) await move(store, there);
      await store.projects.markDeleted(first.place.project.id, nextInstant());
      await store.forms.markDeleted(second.place.form.id, nextInstant());
      while (await store.purge.purgeDeletedStep(nextInstant()));
      await settle(store);
      expect(await store.projects.load(first.place.project.id)).toBeNull();
      expect(await store.projects.load(first.there.project.id)).toEqual(first.there.project);
      expect(await listed(store, inProject(first.there))).toEqual([entry.submission.id]);
      expect(await store.forms.find(wholeAccount(second.place.accountId), second.place.form.id)).toBeNull();
    });

    it('has its quarantine and the health of its webhook in its project', async () => {
      const { store } = harness();
      const { place, there } = await aMove(store);
      const { submission } = anEntry(place);
      const quarantined = { ...submission, field: 'website', filesDropped: 0 };
      await store.commit([{ quarantined, idempotency: null }]);
      await move(store, there);
      const { projectId } = there.form;
      expect(await store.quarantine.find(wholeAccount(place.accountId), submission.id)).toMatchObject({
        projectId,
      });
      const page = { limit: 10, after: null };
      expect((await store.quarantine.list(wholeAccount(place.accountId), null, page)).items).toMatchObject([
        { projectId },
      ]);
      const change: HealthChange = {
        destinationId: builtInId(place.form.id, 'webhook'),
        kind: 'webhook',
        target: 'form',
        formId: place.form.id,
        projectId: place.project.id,
        ...{ succeededAt: null, failures: 1, lastError: 'timeout' },
        ...{ firstFailedAt: nextInstant(), lastFailedAt: nextInstant() },
      };
      await store.destinations.recordHealth([change]);
      const rows = await store.destinations.list(wholeAccount(place.accountId), {
        kind: 'form',
        formId: place.form.id,
      });
      expect(rows).toMatchObject([{ projectId, health: { failures: 1 } }]);
      await settle(store);
    });
  });
}

async function accountOf(store: Store, { accountId }: Place) {
  const account = await store.accounts.find(accountId);
  if (!account) throw new Error('It is there');
  return account;
}
