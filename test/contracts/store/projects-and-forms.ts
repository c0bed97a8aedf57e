import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { toInput } from '../../../src/http/api/form-shapes.js';
import { type FormSettings, newFormDefaults } from '../../../src/model/form.js';
import type { ProjectSettings } from '../../../src/model/project.js';
import { everySetting } from '../../support/form-settings.js';
import { type MakeHarness, shared } from './harness.js';
import {
  aForm,
  anAccount,
  anEntry,
  aProject,
  day,
  made,
  madeAccount,
  madePlace,
  nextInstant,
  type Place,
} from './samples.js';

const projectSettings: ProjectSettings = {
  name: 'Überall "x" \\ %_',
  webhookUrl: 'https://example.com/hook?a=1',
  allowedOrigins: ['example.com', '*.example.org', 'a,b'],
  rateLimitPerMinute: 10_000_000,
  notifyEmails: ['ada@example.com', '"odd, one"@example.com'],
  isActive: false,
};

const formSettings: FormSettings = {
  ...newFormDefaults,
  sandboxApiKey: null,
  ...toInput({ ...everySetting, captcha_secret_key: 'captcha secret' }),
  name: 'Anmeldung 🎉',
  opensAt: 1,
  maxSubmissions: 1_000_000_000,
};

export function projectsAndFormsContract(make: MakeHarness): void {
  describe('projects', () => {
    const harness = shared(make);

    it('keeps every setting, and an update changes the settings alone', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const project = aProject(account.id, {
        previousSecret: 'the one before',
        previousSecretUntil: nextInstant(),
      });
      await store.projects.create(project);
      expect(await store.projects.find(wholeAccount(account.id), project.id)).toEqual(project);
      const updatedAt = nextInstant();
      await store.projects.update(project.id, projectSettings, updatedAt);
      const changed = { ...project, ...projectSettings, updatedAt };
      expect(await store.projects.find(wholeAccount(account.id), project.id)).toEqual(changed);
    });

    it('replaces the secrets and nothing else', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const project = aProject(account.id);
      await store.projects.create(project);
      const secrets = {
        webhookSecret: 'new',
        previousSecret: project.webhookSecret,
        previousSecretUntil: 99,
      };
      const updatedAt = nextInstant();
      await store.projects.setSecrets(project.id, secrets, updatedAt);
      expect(await store.projects.find(wholeAccount(account.id), project.id)).toEqual({
        ...project,
        ...secrets,
        updatedAt,
      });
    });

    it('never shows a project to another account', async () => {
      const { store } = harness();
      const { project } = await madePlace(store);
      const outsider = await madeAccount(store);
      expect(await store.projects.find(wholeAccount(outsider.id), project.id)).toBeNull();
      expect(await store.projects.list(wholeAccount(outsider.id), null)).toEqual([]);
      expect(await store.projects.count(outsider.id)).toBe(0);
      expect(await store.projects.slugs(outsider.id, 'website')).toEqual([]);
    });

    it('lists oldest first with the counts of what lives', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const [first, second] = [aProject(account.id), aProject(account.id)];
      await store.projects.create(second);
      await store.projects.create(first);
      const place = await madePlace(store, { account, project: first });
      const gone = await madePlace(store, { account, project: first });
      const archived = await madePlace(store, { account, project: first, form: { isArchived: true } });
      for (const target of [place, place, gone, archived]) await made(store, target);
      await store.forms.markDeleted(gone.form.id, nextInstant());
      expect(await store.projects.list(wholeAccount(account.id), null)).toEqual([
        { project: first, formsCount: 1, submissionsCount: 3 },
        { project: second, formsCount: 0, submissionsCount: 0 },
      ]);
    });

    it('pages through all projects once, also when some go and come in between', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const all = Array.from({ length: 7 }, () => aProject(account.id));
      for (const project of all) await store.projects.create(project);
      const ids = async (after: string | null): Promise<readonly string[]> =>
        (await store.projects.list(wholeAccount(account.id), { limit: 3, after })).map(
          ({ project }) => project.id,
        );
      const firstPage = await ids(null);
      expect(firstPage).toEqual(all.slice(0, 3).map(({ id }) => id));
      const [gone] = all.slice(1);
      if (gone) await store.projects.markDeleted(gone.id, nextInstant());
      const newcomer = aProject(account.id);
      await store.projects.create(newcomer);
      const secondPage = await ids(firstPage.at(-1) ?? null);
      expect(secondPage).toEqual(all.slice(3, 6).map(({ id }) => id));
      expect(await ids(secondPage.at(-1) ?? null)).toEqual([all[6]?.id, newcomer.id]);
      expect(await ids(newcomer.id)).toEqual([]);
    });

    it('has a slug once for each account, and again after its project was deleted', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const project = aProject(account.id, { slug: 'shop' });
      await store.projects.create(project);
      await store.projects.create(aProject(account.id, { slug: 'shop-2' }));
      await store.projects.create(aProject(account.id, { slug: 'blog' }));
      const twin = aProject(account.id, { slug: 'shop' });
      await expect(store.projects.create(twin)).rejects.toMatchObject({ rule: 'unique' });
      await store.projects.create(aProject((await madeAccount(store)).id, { slug: 'shop' }));
      expect([...(await store.projects.slugs(account.id, 'shop'))].sort()).toEqual(['shop', 'shop-2']);
      await store.projects.markDeleted(project.id, nextInstant());
      expect(await store.projects.slugs(account.id, 'shop')).toEqual(['shop-2']);
      await store.projects.create(twin);
      expect(await store.projects.find(wholeAccount(account.id), twin.id)).toEqual(twin);
    });

    it('finds nothing of a deleted project, its forms included', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, files } = await made(store, place, { files: 1 });
      await store.projects.markDeleted(place.project.id, nextInstant());
      expect(await store.projects.find(wholeAccount(place.accountId), place.project.id)).toBeNull();
      expect(await store.projects.count(place.accountId)).toBe(0);
      expect(await store.projects.list(wholeAccount(place.accountId), null)).toEqual([]);
      expect(await store.forms.find(wholeAccount(place.accountId), place.form.id)).toBeNull();
      expect(await store.forms.findForIntake(place.form.publicId)).toBeNull();
      expect(await store.forms.list(place.project.id, null, true)).toEqual([]);
      expect(await store.submissions.find(wholeAccount(place.accountId), submission.id)).toBeNull();
      expect((await store.files.findAny(files[0]?.id ?? ''))?.deletedAt).not.toBeNull();
    });
  });

  describe('forms', () => {
    const harness = shared(make);

    it('keeps every setting, and an update changes the settings alone', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      expect(await store.forms.find(wholeAccount(place.accountId), place.form.id)).toEqual({
        form: place.form,
        submissionsCount: 0,
      });
      const updatedAt = nextInstant();
      await store.forms.update(place.form.id, formSettings, updatedAt);
      expect(await store.forms.find(wholeAccount(place.accountId), place.form.publicId)).toEqual({
        form: { ...place.form, ...formSettings, updatedAt },
        submissionsCount: 0,
      });
    });

    it('never shows a form to another account, by whichever id', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const outsider = await madeAccount(store);
      expect(await store.forms.find(wholeAccount(outsider.id), form.id)).toBeNull();
      expect(await store.forms.find(wholeAccount(outsider.id), form.publicId)).toBeNull();
    });

    it('gives the submission endpoint all it must know', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.accounts.update(place.accountId, { plan: 'starter' });
      expect(await store.forms.findForIntake(place.form.publicId)).toEqual({
        form: place.form,
        project: place.project,
        destinations: [],
        accountId: place.accountId,
        plan: 'starter',
      });
      expect(await store.forms.findForIntake(place.form.id)).toBeNull();
      expect(await store.forms.findForIntake('nothing-here')).toBeNull();
    });

    it('lists the forms of one project oldest first, in pages, with their counts', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const others = Array.from({ length: 4 }, () => aForm(place.project.id));
      for (const form of [...others].reverse()) await store.forms.create(form);
      await madePlace(store, { account: { ...anAccount(), id: place.accountId } });
      await made(store, place);
      const forms = [place.form, ...others];
      expect(await store.forms.list(place.project.id, null, false)).toEqual(
        forms.map((form, index) => ({ form, submissionsCount: index === 0 ? 1 : 0 })),
      );
      const after = others[0]?.id ?? null;
      const page = await store.forms.list(place.project.id, { limit: 2, after }, false);
      expect(page.map(({ form }) => form.id)).toEqual([others[1]?.id, others[2]?.id]);
    });

    it('lists archived forms only when they are asked for', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const archived = aForm(place.project.id, { isArchived: true });
      await store.forms.create(archived);
      const listed = async (withArchived: boolean) =>
        (await store.forms.list(place.project.id, null, withArchived)).map(({ form }) => form.id);
      expect(await listed(false)).toEqual([place.form.id]);
      expect(await listed(true)).toEqual([place.form.id, archived.id]);
    });

    it('tells where the newest submissions of a form came from', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = await madePlace(store);
      const from = (at: Place, submittedFrom: string, createdAt = nextInstant()) => {
        const entry = anEntry(at, { createdAt });
        const metadata = { ...entry.submission.metadata, submittedFrom };
        return { ...entry, submission: { ...entry.submission, metadata } };
      };
      const entries = ['a', 'b', 'b', 'c'].map((one) => from(place, one));
      await store.commit([...entries, from(other, 'd')]);
      const since = entries[1]?.submission.createdAt ?? 0;
      const told = async (most: number) =>
        [...(await store.submissions.sources(place.form.id, since, most))]
          .sort((a, b) => (a.submittedFrom < b.submittedFrom ? -1 : 1))
          .map(({ submittedFrom, count }) => `${submittedFrom} ${count}`);
      expect(await told(10)).toEqual(['b 2', 'c 1']);
      expect(await told(2)).toEqual(['b 1', 'c 1']);
    });

    it('has a slug once for each project and a public id once for all', async () => {
      const { store } = harness();
      const place = await madePlace(store, { form: { slug: 'contact' } });
      const conflict = { rule: 'unique' };
      const twin = aForm(place.project.id, { slug: 'contact' });
      await expect(store.forms.create(twin)).rejects.toMatchObject(conflict);
      const copy = aForm(place.project.id, { publicId: place.form.publicId });
      await expect(store.forms.create(copy)).rejects.toMatchObject(conflict);
      const homeless = aForm(aProject(place.accountId).id);
      await expect(store.forms.create(homeless)).rejects.toMatchObject({ rule: 'reference' });
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.forms.slugs(place.project.id, 'contact')).toEqual([]);
      await store.forms.create(twin);
      expect(await store.forms.slugs(place.project.id, 'contact')).toEqual(['contact']);
      // The old endpoint must never lead to another form.
      await expect(store.forms.create(copy)).rejects.toMatchObject(conflict);
    });

    it('finds nothing of a deleted form, and counts its files as deleted at once', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const sibling = await madePlace(store, {
        account: { ...anAccount(), id: place.accountId },
        project: place.project,
      });
      const { submission, files } = await made(store, place, { files: 1 });
      const kept = await made(store, sibling, { files: 1 });
      const deletedAt = nextInstant() + day;
      await store.forms.markDeleted(place.form.id, deletedAt);
      expect(await store.forms.find(wholeAccount(place.accountId), place.form.id)).toBeNull();
      expect(await store.forms.find(wholeAccount(place.accountId), place.form.publicId)).toBeNull();
      expect(await store.forms.findForIntake(place.form.publicId)).toBeNull();
      expect(await store.submissions.find(wholeAccount(place.accountId), submission.id)).toBeNull();
      expect((await store.files.findAny(files[0]?.id ?? ''))?.deletedAt).toBe(deletedAt);
      expect(await store.submissions.find(wholeAccount(place.accountId), kept.submission.id)).not.toBeNull();
      expect((await store.files.findAny(kept.files[0]?.id ?? ''))?.deletedAt).toBeNull();
    });
  });
}
