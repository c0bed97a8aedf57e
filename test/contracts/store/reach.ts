/** What a caller finds who reaches only some projects of an account. */
import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { type Reach, wholeAccount } from '#inlet/model/reach.js';
import { utcDays } from '#inlet/model/tally.js';
import type { Store } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { anAccount, aUser, made, madePlace, nextInstant, type Place } from './samples.js';

const within = ({ accountId, project }: Place): Reach => ({ accountId, projectIds: [project.id] });
const nowhere = ({ accountId }: Place): Reach => ({ accountId, projectIds: [] });

/** Two places in one account. */
async function madeTwo(store: Store): Promise<readonly [Place, Place]> {
  const one = await madePlace(store);
  return [one, await madePlace(store, { account: { ...anAccount(), id: one.accountId } })];
}

export function reachContract(make: MakeHarness): void {
  describe('a reach of some projects', () => {
    const harness = shared(make);

    it('finds projects, forms and submissions of these, and counts only them', async () => {
      const { store } = harness();
      const [here, there] = await madeTwo(store);
      const [{ submission: mine }, { submission: theirs }] = [
        await made(store, here),
        await made(store, there),
      ];
      const [reach, none, all] = [within(here), nowhere(here), wholeAccount(here.accountId)];
      const projectsIn = async (of: Reach) =>
        (await store.projects.list(of, null)).map(({ project }) => project.id);
      expect(await projectsIn(reach)).toEqual([here.project.id]);
      expect(await projectsIn(none)).toEqual([]);
      expect(await projectsIn(all)).toEqual([here.project.id, there.project.id]);
      expect(await store.projects.find(reach, there.project.id)).toBeNull();
      expect(await store.forms.find(reach, there.form.publicId)).toBeNull();
      expect((await store.forms.find(reach, here.form.id))?.form.id).toBe(here.form.id);
      const found = await store.submissions.findSome(reach, [mine.id, theirs.id]);
      expect(found.map(({ id }) => id)).toEqual([mine.id]);
      expect(await store.submissions.findSome(none, [mine.id])).toEqual([]);
      expect(await store.accounts.usage(reach)).toEqual({ projects: 1, forms: 1, submissions: 1 });
      expect(await store.accounts.usage(none)).toEqual({ projects: 0, forms: 0, submissions: 0 });
      const days = await store.tallies.days({ kind: 'account', reach }, utcDays(0, 40_000));
      expect(days.map(({ count }) => count)).toEqual([1]);
      expect(await store.submissions.deleteSome(reach, [theirs.id], nextInstant())).toMatchObject({
        deleted: 0,
      });
      expect(await store.submissions.find(all, theirs.id)).not.toBeNull();
    });

    it('does not belong to an account by its projects: of another account nothing is found', async () => {
      const { store } = harness();
      const [here, foreign] = [await madePlace(store), await madePlace(store)];
      const reach = { accountId: here.accountId, projectIds: [foreign.project.id] };
      expect(await store.projects.list(reach, null)).toEqual([]);
      expect(await store.forms.find(reach, foreign.form.id)).toBeNull();
    });

    it('has the notes and the views of these, and no view of the whole account', async () => {
      const { store } = harness();
      const [here, there] = await madeTwo(store);
      const { accountId } = here;
      const { submission } = await made(store, there);
      const createdAt = nextInstant();
      const note = {
        id: newId(createdAt),
        accountId,
        submissionId: submission.id,
        authorId: null,
        text: 'x',
      };
      await store.notes.create({ ...note, createdAt, updatedAt: createdAt });
      expect(await store.notes.find(within(here), note.id)).toBeNull();
      await store.notes.delete(within(here), note.id);
      await store.notes.update(within(here), note.id, 'changed', createdAt);
      expect(await store.notes.find(within(there), note.id)).toMatchObject({ text: 'x' });
      const view = (some: { formId?: string; projectId?: string }) => ({
        ...{ id: newId(nextInstant()), accountId, name: 'v', query: '{}', position: 0, createdAt },
        ...{ formId: null, projectId: null, ...some },
      });
      const views = [
        view({ formId: here.form.id }),
        view({ projectId: here.project.id }),
        view({ formId: there.form.id }),
        view({}),
      ];
      for (const one of views) await store.views.create(one);
      const ids = views.map(({ id }) => id);
      expect((await store.views.list(within(here))).map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect(await store.views.delete(within(here), ids[3] ?? '')).toBe(false);
      expect(await store.views.delete(within(here), ids[0] ?? '')).toBe(true);
      expect((await store.views.list(wholeAccount(accountId))).length).toBe(3);
    });

    it('is stored with a user, and changed', async () => {
      const { store } = harness();
      const { accountId, project } = await madePlace(store);
      const user = aUser(accountId, { role: null, projects: [{ projectId: project.id, role: 'editor' }] });
      await store.users.create(user, 'hash');
      expect((await store.users.find(accountId, user.id))?.user).toEqual(user);
      const access = { role: 'viewer', projects: [] } as const;
      expect(await store.users.setAccess(anAccount().id, user.id, access)).toBe(false);
      expect((await store.users.find(accountId, user.id))?.user).toEqual(user);
      expect(await store.users.setAccess(accountId, user.id, access)).toBe(true);
      expect((await store.users.find(accountId, user.id))?.user).toEqual({ ...user, ...access });
    });
  });
}
