import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import type { User } from '../../../src/model/account.js';
import { type Delivery, queues } from '../../../src/model/delivery.js';
import type { Folder, InboxChange, InboxState } from '../../../src/model/inbox.js';
import { noFilter, type SubmissionFilter } from '../../../src/model/submission.js';
import type { OwnerScope, Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { aLabel, aNote } from './inbox-samples.js';
import {
  aForm,
  anAccount,
  anEntry,
  aUser,
  day,
  epoch,
  made,
  madePlace,
  nextInstant,
  type Place,
} from './samples.js';

/** Later than everything from `nextInstant`: what was stored is old enough for read marks to pass it. */
const later = epoch + day;

const ofForm = (place: Place): OwnerScope => ({ kind: 'form', formId: place.form.id });
const ofProject = (place: Place): OwnerScope => ({ kind: 'project', projectId: place.project.id });

async function idsOf(store: Store, scope: OwnerScope, some: Partial<SubmissionFilter> = {}) {
  const page = await store.submissions.list(scope, { ...noFilter, ...some }, { limit: 1000, after: null });
  return page.items.map(({ id }) => id);
}

async function madeIds(store: Store, place: Place, count: number): Promise<string[]> {
  const entries = Array.from({ length: count }, () => anEntry(place));
  await store.commit(entries);
  return entries.map(({ submission }) => submission.id);
}

async function madeUser(store: Store, place: Place, createdAt = epoch - day): Promise<User> {
  const user = aUser(place.accountId, { createdAt });
  await store.users.create(user, 'hash');
  return user;
}

const change = (
  store: Store,
  { accountId }: Place,
  ids: readonly string[],
  wish: InboxChange,
  user: User | null = null,
) => store.inbox.change(wholeAccount(accountId), user?.id ?? null, ids, wish, later);

async function stateOf(store: Store, place: Place, id = '', user: User | null = null): Promise<InboxState> {
  const [state] = await store.inbox.states(wholeAccount(place.accountId), user?.id ?? null, [id]);
  if (!state) throw new Error('There is no such submission');
  return state;
}

export function inboxContract(make: MakeHarness): void {
  describe('the inbox', () => {
    const harness = shared(make);

    it('has every new submission, untouched', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const user = await madeUser(store, place);
      const { submission } = await made(store, place);
      const { id, formId, projectId } = submission;
      const untouched = { folder: 'inbox', trashedAt: null, isStarred: false, assigneeId: null };
      const rest = { labels: [], notesCount: 0 };
      expect(await store.inbox.states(wholeAccount(place.accountId), user.id, [id])).toEqual([
        { id, formId, projectId, ...untouched, ...rest, isRead: false },
      ]);
      expect((await stateOf(store, place, id)).isRead).toBeNull();
      expect(await store.inbox.states(wholeAccount(place.accountId), null, [])).toEqual([]);
    });

    it('is found and changed by its own account only', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = await madePlace(store);
      const [id = ''] = await madeIds(store, place, 1);
      expect(await store.inbox.states(wholeAccount(other.accountId), null, [id])).toEqual([]);
      const label = aLabel(other.accountId);
      await store.labels.create(label);
      const user = await madeUser(store, other);
      const all = { folder: 'trash', isStarred: true, isRead: true, addLabels: [label.id] } as const;
      await change(store, other, [id], { ...all, assigneeId: user.id }, user);
      const untouched = { folder: 'inbox', isStarred: false, labels: [], assigneeId: null };
      expect(await stateOf(store, place, id)).toMatchObject(untouched);
      // Nor can it get labels and users of another account.
      await change(store, place, [id], { addLabels: [label.id], assigneeId: user.id });
      expect(await stateOf(store, place, id)).toMatchObject(untouched);
    });

    it('has nothing of a deleted form', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [id = ''] = await madeIds(store, place, 1);
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.inbox.states(wholeAccount(place.accountId), null, [id])).toEqual([]);
    });

    it('lists all but spam and trash unless a folder is asked for, in a list, a search and the data', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const folders = ['inbox', 'archive', 'spam', 'trash'] as const;
      const byFolder = new Map<Folder, string>();
      for (const folder of folders) {
        const { submission } = await made(store, place, { data: `{"in":"${folder}","word":"sought"}` });
        byFolder.set(folder, submission.id);
        if (folder !== 'inbox') await change(store, place, [submission.id], { folder });
      }
      while (await store.indexStep());
      const newestFirst = (some: readonly Folder[]) => some.map((folder) => byFolder.get(folder)).reverse();
      const covered: readonly (readonly [SubmissionFilter['folder'], readonly Folder[]])[] = [
        [null, ['inbox', 'archive']],
        ['all', folders],
        ...folders.map((folder) => [folder, [folder]] as const),
      ];
      for (const [folder, expected] of covered) {
        for (const scope of [ofForm(place), ofProject(place)]) {
          expect(await idsOf(store, scope, { folder }), `${folder}`).toEqual(newestFirst(expected));
          expect(await idsOf(store, scope, { folder, words: ['sought'] }), `${folder}`).toEqual(
            newestFirst(expected),
          );
        }
        const page = { limit: 100, after: null };
        const { rows } = await store.submissions.listData(
          ofForm(place),
          { ...noFilter, until: later, folder },
          page,
        );
        expect(rows.map(({ data }) => JSON.parse(data).in).reverse()).toEqual(expected);
      }
    });

    it('pages through one folder', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const ids = await madeIds(store, place, 10);
      const trashed = ids.filter((_, index) => index % 2 === 0);
      await change(store, place, trashed, { folder: 'trash' });
      const filter = { ...noFilter, folder: 'trash' } as const;
      const first = await store.submissions.list(ofForm(place), filter, { limit: 3, after: null });
      const rest = await store.submissions.list(ofForm(place), filter, { limit: 3, after: first.next });
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual([...trashed].reverse());
      expect(rest.next).toBeNull();
    });

    it('finds what is starred, labelled and assigned, in lists and searches', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const user = await madeUser(store, place);
      const label = aLabel(place.accountId);
      await store.labels.create(label);
      const [plain = '', marked = ''] = await madeIds(store, place, 2);
      await change(store, place, [marked], {
        ...{ isStarred: true, addLabels: [label.id], assigneeId: user.id },
      });
      while (await store.indexStep());
      expect(await stateOf(store, place, marked)).toMatchObject({
        isStarred: true,
        labels: [{ id: label.id, name: label.name, color: label.color }],
        assigneeId: user.id,
      });
      for (const words of [[], ['ada']]) {
        for (const scope of [ofForm(place), ofProject(place)]) {
          const find = (some: Partial<SubmissionFilter>) => idsOf(store, scope, { words, ...some });
          expect(await find({ isStarred: true })).toEqual([marked]);
          expect(await find({ isStarred: false })).toEqual([plain]);
          expect(await find({ labelId: label.id })).toEqual([marked]);
          expect(await find({ assignee: user.id })).toEqual([marked]);
          expect(await find({ assignee: 'none' })).toEqual([plain]);
          expect(await find({ isStarred: true, assignee: 'none' })).toEqual([]);
        }
      }
      await store.users.delete(place.accountId, user.id);
      expect(await idsOf(store, ofForm(place), { assignee: 'none' })).toEqual([marked, plain]);
      expect((await stateOf(store, place, marked)).assigneeId).toBeNull();
      await change(store, place, [marked], { isStarred: false, removeLabels: [label.id], assigneeId: null });
      expect(await stateOf(store, place, marked)).toMatchObject({ isStarred: false, labels: [] });
    });

    it('notes when something went to the trash, and keeps that time', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [id = ''] = await madeIds(store, place, 1);
      await change(store, place, [id], { folder: 'trash' });
      await store.inbox.change(wholeAccount(place.accountId), null, [id], { folder: 'trash' }, later + day);
      expect((await stateOf(store, place, id)).trashedAt).toBe(later);
      await change(store, place, [id], { folder: 'archive' });
      expect(await stateOf(store, place, id)).toMatchObject({ folder: 'archive', trashedAt: null });
    });
  });

  describe('the trash', () => {
    const harness = fresh(make);

    it('is emptied of what has been in it for long enough, with files, and of nothing else', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const user = await madeUser(store, place);
      const label = aLabel(place.accountId);
      await store.labels.create(label);
      const entry = await made(store, place, { files: 1, deliveries: 1 });
      const [kept = '', restored = '', spam = ''] = await madeIds(store, place, 3);
      const old = entry.submission.id;
      await store.notes.create(aNote(place.accountId, old));
      await change(store, place, [old, restored], { isRead: false, addLabels: [label.id] }, user);
      await change(store, place, [old, restored], { folder: 'trash' });
      await change(store, place, [spam], { folder: 'spam' });
      await store.inbox.change(wholeAccount(place.accountId), null, [kept], { folder: 'trash' }, later + 1);
      await change(store, place, [restored], { folder: 'inbox' });
      expect(await store.purge.purgeTrashStep(later, later + 5)).toBe(false);
      expect(await store.purge.purgeTrashStep(later + 1, later + 5)).toBe(true);
      expect(await store.purge.purgeTrashStep(later + 1, later + 5)).toBe(false);
      expect(await idsOf(store, ofForm(place), { folder: 'all' })).toEqual([spam, restored, kept]);
      const [file] = entry.files;
      expect((await store.files.findAny(file?.id ?? ''))?.deletedAt).toBe(later + 5);
      expect(await store.deliveries.listBySubmission(old)).toEqual([]);
      for (const table of ['submission_labels', 'notes', 'read_exceptions'])
        expect(await run(`SELECT 1 FROM ${table} WHERE submission_id = '${old}'`), table).toEqual([]);
    });
  });

  describe('deliveries of what is in spam or trash', () => {
    const harness = fresh(make);
    const lease = { token: 'a token', owner: 'a process', until: later + day };

    const due = async (store: Store): Promise<readonly Delivery[]> => {
      const heads = await store.queue.heads();
      const picks = heads.map(({ lane, queue }) => ({ lane, queue, limit: 100 }));
      const cycle = { records: [], releases: [], unconfirmed: [], picks, lease, now: later };
      return (await store.queue.runCycle(cycle)).found.flatMap((found) => found.due);
    };

    it.each(['spam', 'trash'] as const)('wait in %s, and go on as before', async (folder) => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, deliveries } = await made(store, place, { deliveries: 2 });
      const other = await made(store, place, { deliveries: 1 });
      await change(store, place, [submission.id], { folder });
      expect((await due(store)).map(({ id }) => id)).toEqual(other.deliveries.map(({ id }) => id));
      // Moving between the two does not pause them twice.
      await change(store, place, [submission.id], { folder: folder === 'spam' ? 'trash' : 'spam' });
      expect(await due(store)).toEqual([]);
      await change(store, place, [submission.id], { folder: 'archive' });
      const byId = (a: Delivery, b: Delivery) => (a.id < b.id ? -1 : 1);
      expect([...(await due(store))].sort(byId)).toEqual([...deliveries].sort(byId));
    });

    it('wait after an attempt that was under way, too', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission } = await made(store, place, { deliveries: 1 });
      const [delivery] = await due(store);
      if (!delivery) throw new Error('Nothing was claimed');
      await change(store, place, [submission.id], { folder: 'trash' });
      const timings = { dnsMs: null, connectMs: null, firstByteMs: null, remoteAddress: null };
      const answered = {
        status: 500,
        durationMs: 1,
        error: 'no',
        response: '',
        request: null,
        responseHeaders: null,
      };
      const attempt = { number: 1, at: later, trigger: 'auto', ...answered, ...timings } as const;
      const over = { heldUntil: null, extraAttempts: 0, resumeAt: null };
      const settled = { state: 'pending', queue: queues.later, nextAttemptAt: later, ...over } as const;
      const { id, url } = delivery;
      const record = {
        deliveryId: id,
        submissionId: submission.id,
        token: lease.token,
        settled,
        url,
        attempt,
      };
      const cycle = { records: [record], releases: [], unconfirmed: [], picks: [], lease, now: later };
      expect((await store.queue.runCycle(cycle)).lost).toEqual([]);
      expect(await due(store)).toEqual([]);
      await change(store, place, [submission.id], { folder: 'inbox' });
      expect(await due(store)).toMatchObject([{ id, queue: queues.later, attempt: 1 }]);
    });

    it('are not sent again by hand or by a replay, and one that is planned late waits', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, deliveries } = await made(store, place, { deliveries: 1 });
      const [delivery] = deliveries;
      if (!delivery) throw new Error('There is no delivery');
      const owner = { accountId: place.accountId, formId: place.form.id, projectId: null };
      const range = { since: null, until: later, filter: null, destinationId: null };
      const scope = { ...owner, ...range, deliveryState: 'pending' } as const;
      const resent = { id: delivery.id, url: delivery.url, trigger: 'manual', queue: queues.manual } as const;
      expect(await store.replays.count(scope)).toBe(1);
      await change(store, place, [submission.id], { folder: 'spam' });
      expect(await store.deliveries.resend(resent, submission.id, later)).toBe(false);
      expect(await store.replays.count(scope)).toBe(0);
      expect((await store.replays.next(scope, '', 10)).items).toEqual([]);
      expect((await store.replays.nextMissing(scope, delivery.destinationId, '')).items).toEqual([]);
      const planned = anEntry(place, { deliveries: 1 }).deliveries[0];
      if (!planned) throw new Error('There is no delivery');
      await store.deliveries.create([{ ...planned, submissionId: submission.id }]);
      expect(await due(store)).toEqual([]);
      await change(store, place, [submission.id], { folder: 'inbox' });
      expect(await due(store)).toHaveLength(2);
    });
  });

  describe('what a user has read', () => {
    const harness = shared(make);

    it('is all that came before they did, and what they read since', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [before = ''] = await madeIds(store, place, 1);
      const user = await madeUser(store, place, nextInstant());
      const other = await madeUser(store, place);
      const [first = '', second = ''] = await madeIds(store, place, 2);
      const read = (isRead: boolean, by = user) =>
        idsOf(store, ofForm(place), { read: { userId: by.id, isRead } });
      expect(await read(false)).toEqual([second, first]);
      expect(await read(true)).toEqual([before]);
      await change(store, place, [second], { isRead: true }, user);
      await change(store, place, [before], { isRead: false }, user);
      expect(await read(false)).toEqual([first, before]);
      expect(await read(true)).toEqual([second]);
      expect((await stateOf(store, place, second, user)).isRead).toBe(true);
      expect((await stateOf(store, place, before, user)).isRead).toBe(false);
      // No other user has read it.
      expect(await read(false, other)).toEqual([second, first, before]);
      expect((await stateOf(store, place, second, other)).isRead).toBe(false);
      // Nor is unread for another user what only this one has left unread.
      await store.inbox.readAll(other.id, ofForm(place));
      expect(await read(true, other)).toEqual([second, first, before]);
      expect((await stateOf(store, place, before, other)).isRead).toBe(true);
    });

    it('is counted by form, in the inbox, and no further than asked', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const outsider = await madePlace(store);
      await madeIds(store, outsider, 2);
      const sibling = { ...place, form: aForm(place.project.id) };
      await store.forms.create(sibling.form);
      const user = await madeUser(store, place);
      const [archived = '', read = ''] = await madeIds(store, place, 7);
      await madeIds(store, sibling, 2);
      await change(store, place, [archived], { folder: 'archive' });
      await change(store, place, [read], { isRead: true }, user);
      const counts = async (most = 1000) =>
        Object.fromEntries(
          (await store.inbox.unread(wholeAccount(place.accountId), user.id, most)).map(
            ({ formId, unread }) => [formId, unread],
          ),
        );
      expect(await counts()).toEqual({ [place.form.id]: 5, [sibling.form.id]: 2 });
      expect(await counts(3)).toEqual({ [place.form.id]: 3, [sibling.form.id]: 2 });
      const named = ({ form, project }: Place) => ({ formId: form.id, projectId: project.id });
      expect(await store.inbox.readAll(user.id, ofForm(place))).toEqual([named(place)]);
      expect(await store.inbox.readAll(user.id, ofForm(place))).toEqual([]);
      expect(await counts()).toEqual({ [sibling.form.id]: 2 });
      await change(store, place, [read], { isRead: false }, user);
      expect(await counts()).toEqual({ [place.form.id]: 1, [sibling.form.id]: 2 });
      expect(await store.inbox.readAll(user.id, ofProject(place))).toEqual([named(place), named(sibling)]);
      expect(await counts()).toEqual({});
      await madeIds(store, sibling, 1);
      expect(await counts()).toEqual({ [sibling.form.id]: 1 });
      await store.inbox.readAll(user.id, { kind: 'account', reach: wholeAccount(place.accountId) });
      expect(await counts()).toEqual({});
    });

    it('takes little room, however many are read one by one', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const user = await madeUser(store, place);
      const ids = await madeIds(store, place, 300);
      const unread = [ids[3] ?? '', ids[150] ?? ''];
      const others = ids.filter((id) => !unread.includes(id));
      for (let from = 0; from < others.length; from += 50)
        await change(store, place, others.slice(from, from + 50), { isRead: true }, user);
      const read = { userId: user.id, isRead: false };
      expect(await idsOf(store, ofForm(place), { read })).toEqual([...unread].reverse());
      expect(await store.inbox.unread(wholeAccount(place.accountId), user.id, 1000)).toEqual([
        { formId: place.form.id, unread: 2 },
      ]);
      const kept = await run(`SELECT submission_id FROM read_exceptions WHERE user_id = '${user.id}'`);
      expect(kept).toHaveLength(2);
    });

    it('leaves no mark where a submission may still be on its way', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const user = await madeUser(store, place);
      const late = anEntry(place);
      const [seen = ''] = await madeIds(store, place, 1);
      const now = late.submission.createdAt + 5_000;
      await store.inbox.change(wholeAccount(place.accountId), user.id, [seen], { isRead: true }, now);
      await store.commit([late]);
      const read = { userId: user.id, isRead: false };
      expect(await idsOf(store, ofForm(place), { read })).toEqual([late.submission.id]);
    });

    it('goes with the user', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const user = await madeUser(store, place);
      const [id = ''] = await madeIds(store, place, 1);
      await store.inbox.readAll(user.id, ofForm(place));
      await change(store, place, [id], { isRead: false }, user);
      await store.users.delete(place.accountId, user.id);
      for (const table of ['read_marks', 'read_exceptions'])
        expect(await run(`SELECT 1 FROM ${table} WHERE user_id = '${user.id}'`), table).toEqual([]);
    });
  });

  describe('labels', () => {
    const harness = shared(make);

    it('belong to an account, by name, each name once whatever its case', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = anAccount();
      await store.accounts.create(other);
      const [urgent, zoe] = [
        aLabel(place.accountId, { name: 'Urgent' }),
        aLabel(place.accountId, { name: 'ZOË' }),
      ];
      await store.labels.create(zoe);
      await store.labels.create(urgent);
      await store.labels.create(aLabel(other.id, { name: 'urgent' }));
      expect(await store.labels.list(place.accountId)).toEqual([urgent, zoe]);
      const unique = { rule: 'unique' };
      await expect(store.labels.create(aLabel(place.accountId, { name: 'zoë' }))).rejects.toMatchObject(
        unique,
      );
      await expect(store.labels.update(place.accountId, zoe.id, { name: 'URGENT' })).rejects.toMatchObject(
        unique,
      );
      expect(await store.labels.update(place.accountId, zoe.id, { name: 'zoë', color: 'pink' })).toEqual({
        ...zoe,
        name: 'zoë',
        color: 'pink',
      });
      expect(await store.labels.update(place.accountId, zoe.id, {})).toMatchObject({ name: 'zoë' });
      expect(await store.labels.update(other.id, zoe.id, { color: 'red' })).toBeNull();
      expect(await store.labels.delete(other.id, zoe.id)).toBe(false);
    });

    it('are taken off all submissions when they are deleted', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const label = aLabel(place.accountId);
      await store.labels.create(label);
      const ids = await madeIds(store, place, 2);
      await change(store, place, ids, { addLabels: [label.id] });
      await change(store, place, ids, { addLabels: [label.id] });
      expect((await stateOf(store, place, ids[1])).labels).toHaveLength(1);
      expect(await store.labels.delete(place.accountId, label.id)).toBe(true);
      expect(await store.labels.delete(place.accountId, label.id)).toBe(false);
      expect((await stateOf(store, place, ids[1])).labels).toEqual([]);
      expect(await idsOf(store, ofForm(place), { labelId: label.id })).toEqual([]);
    });
  });

  describe('notes', () => {
    const harness = shared(make);

    it('are listed oldest first with their authors, for their account', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { accountId } = place;
      const other = await madePlace(store);
      const user = await madeUser(store, place);
      const [id = ''] = await madeIds(store, place, 1);
      const first = aNote(accountId, id, { authorId: user.id, text: 'Zoë 日本 🎉\n' });
      const second = aNote(accountId, id);
      await store.notes.create(second);
      await store.notes.create(first);
      const author = { id: user.id, email: user.email };
      expect(await store.notes.list(wholeAccount(accountId), id)).toEqual([
        { ...first, author },
        { ...second, author: null },
      ]);
      expect(await store.notes.count(id)).toBe(2);
      expect((await stateOf(store, place, id)).notesCount).toBe(2);
      expect(await store.notes.find(wholeAccount(other.accountId), first.id)).toBeNull();
      expect(await store.notes.list(wholeAccount(other.accountId), id)).toEqual([]);
      await store.notes.update(wholeAccount(other.accountId), first.id, 'not theirs', later);
      await store.notes.delete(wholeAccount(other.accountId), first.id);
      expect(await store.notes.find(wholeAccount(accountId), first.id)).toEqual({ ...first, author });
      await store.notes.update(wholeAccount(accountId), first.id, 'new', later);
      await store.users.delete(accountId, user.id);
      expect(await store.notes.find(wholeAccount(accountId), first.id)).toEqual({
        ...{ ...first, text: 'new', updatedAt: later, author: null },
      });
      await store.notes.delete(wholeAccount(accountId), first.id);
      expect(await store.notes.find(wholeAccount(accountId), first.id)).toBeNull();
    });
  });

  describe('saved views', () => {
    const harness = shared(make);

    it('are listed by position, without those of deleted forms and projects', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { accountId } = place;
      const other = anAccount();
      await store.accounts.create(other);
      const view = (id: string, position: number, some = {}) => ({
        ...{ id, accountId, name: 'View', formId: null, projectId: null, query: '{"q":"Zoë"}' },
        ...{ position, createdAt: epoch, ...some },
      });
      const ids = Array.from({ length: 4 }, () => anEntry(place).submission.id);
      const [a = '', b = '', c = '', d = ''] = ids;
      const views = [
        view(a, 3),
        view(b, 1, { formId: place.form.id }),
        view(c, 2, { projectId: place.project.id }),
        view(d, 1),
      ];
      for (const one of views) await store.views.create(one);
      const listed = async () => (await store.views.list(wholeAccount(accountId))).map(({ id }) => id);
      expect(await listed()).toEqual([b, d, c, a]);
      expect(await store.views.find(wholeAccount(accountId), b)).toEqual(views[1]);
      expect(await store.views.find(wholeAccount(other.id), b)).toBeNull();
      expect(await store.views.list(wholeAccount(other.id))).toEqual([]);
      expect(await store.views.update({ ...view(a, 0), name: 'First' })).toBe(true);
      const notTheirs = { ...view(d, 0), accountId: other.id, name: 'Not theirs' };
      expect(await store.views.update(notTheirs)).toBe(false);
      expect(await listed()).toEqual([a, b, d, c]);
      expect(await store.views.find(wholeAccount(accountId), d)).toEqual(views[3]);
      expect(await store.views.delete(wholeAccount(other.id), d)).toBe(false);
      expect(await store.views.delete(wholeAccount(accountId), d)).toBe(true);
      await store.forms.markDeleted(place.form.id, later);
      expect(await listed()).toEqual([a, c]);
      expect(await store.views.find(wholeAccount(accountId), b)).toBeNull();
      await store.projects.markDeleted(place.project.id, later);
      expect(await listed()).toEqual([a]);
      while (await store.purge.purgeDeletedStep(later));
      expect(await listed()).toEqual([a]);
    });
  });
}
