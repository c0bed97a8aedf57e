import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import type { FormAlias } from '../../../src/model/alias.js';
import { type MakeHarness, shared } from './harness.js';
import { anAccount, madeAccount, madePlace, nextInstant, type Place } from './samples.js';

let made = 0;
function anAlias({ form }: Place, some: Partial<FormAlias> = {}): FormAlias {
  const createdAt = nextInstant();
  made += 1;
  return { id: newId(createdAt), alias: `alias-${made}`, formId: form.id, createdAt, ...some };
}

const taken = { rule: 'unique' };

export function aliasesContract(make: MakeHarness): void {
  describe('aliases', () => {
    const harness = shared(make);

    it('lists those of one form oldest first, in pages, and counts them', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { accountId } = place;
      const aliases = Array.from({ length: 5 }, () => anAlias(place));
      for (const alias of [...aliases].reverse()) await store.aliases.add(wholeAccount(accountId), alias);
      const sibling = await madePlace(store, { account: { ...anAccount(), id: accountId } });
      await store.aliases.add(wholeAccount(accountId), anAlias(sibling));
      expect(await store.aliases.list(wholeAccount(accountId), place.form.id, null)).toEqual(aliases);
      expect(await store.aliases.count(wholeAccount(accountId), place.form.id)).toBe(5);
      const page = { limit: 2, after: aliases[1]?.id ?? null };
      expect(await store.aliases.list(wholeAccount(accountId), place.form.id, page)).toEqual(
        aliases.slice(2, 4),
      );
    });

    it('leads a submission to the form, character by character', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const names = ['xyzKey', 'ada@example.com', 'Größe 100% 日本 🎉', "'; DROP TABLE forms --"];
      for (const alias of names)
        await store.aliases.add(wholeAccount(place.accountId), anAlias(place, { alias }));
      const found = await store.forms.findForIntake(place.form.publicId);
      for (const alias of names) expect(await store.forms.findForIntake(alias)).toEqual(found);
      for (const other of ['xyzkey', 'xyzKey ', 'Ada@example.com', 'xyzK%', 'xyzKe_'])
        expect(await store.forms.findForIntake(other), other).toBeNull();
    });

    it('gives an alias to one form of all accounts, also when two ask at once', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = await madePlace(store);
      const alias = anAlias(place);
      await store.aliases.add(wholeAccount(place.accountId), alias);
      await expect(
        store.aliases.add(wholeAccount(place.accountId), { ...anAlias(place), alias: alias.alias }),
      ).rejects.toMatchObject(taken);
      await expect(
        store.aliases.add(wholeAccount(other.accountId), { ...anAlias(other), alias: alias.alias }),
      ).rejects.toMatchObject(taken);
      const wanted = `wanted-${alias.alias}`;
      const asked = await Promise.allSettled(
        [place, other].map((each) =>
          store.aliases.add(wholeAccount(each.accountId), anAlias(each, { alias: wanted })),
        ),
      );
      expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it('takes no id and no public id of any form, even a deleted one', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = await madePlace(store);
      const gone = await madePlace(store);
      await store.forms.markDeleted(gone.form.id, nextInstant());
      for (const { form } of [place, other, gone]) {
        for (const alias of [form.id, form.publicId])
          await expect(
            store.aliases.add(wholeAccount(place.accountId), anAlias(place, { alias })),
          ).rejects.toMatchObject(taken);
      }
      expect(await store.aliases.list(wholeAccount(place.accountId), place.form.id, null)).toEqual([]);
    });

    it('belongs to the account of its form', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const outsider = await madeAccount(store);
      const alias = anAlias(place);
      await expect(store.aliases.add(wholeAccount(outsider.id), alias)).rejects.toMatchObject({
        rule: 'reference',
      });
      await store.aliases.add(wholeAccount(place.accountId), alias);
      expect(await store.aliases.list(wholeAccount(outsider.id), place.form.id, null)).toEqual([]);
      expect(await store.aliases.count(wholeAccount(outsider.id), place.form.id)).toBe(0);
      expect(await store.aliases.remove(wholeAccount(outsider.id), place.form.id, alias.alias)).toBe(false);
      expect(await store.aliases.list(wholeAccount(place.accountId), place.form.id, null)).toEqual([alias]);
    });

    it('is removed from its own form only, once, and is free then', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { accountId } = place;
      const sibling = await madePlace(store, { account: { ...anAccount(), id: accountId } });
      const alias = anAlias(place);
      const kept = anAlias(place);
      await store.aliases.add(wholeAccount(accountId), alias);
      await store.aliases.add(wholeAccount(accountId), kept);
      expect(await store.aliases.remove(wholeAccount(accountId), sibling.form.id, alias.alias)).toBe(false);
      expect(await store.aliases.remove(wholeAccount(accountId), place.form.id, alias.alias)).toBe(true);
      expect(await store.aliases.remove(wholeAccount(accountId), place.form.id, alias.alias)).toBe(false);
      expect(await store.forms.findForIntake(alias.alias)).toBeNull();
      expect(await store.aliases.list(wholeAccount(accountId), place.form.id, null)).toEqual([kept]);
      await store.aliases.add(wholeAccount(accountId), anAlias(sibling, { alias: alias.alias }));
      expect((await store.forms.findForIntake(alias.alias))?.form.id).toBe(sibling.form.id);
    });

    it.each([
      ['form', (place: Place) => (at: number) => harness().store.forms.markDeleted(place.form.id, at)],
      [
        'project',
        (place: Place) => (at: number) => harness().store.projects.markDeleted(place.project.id, at),
      ],
    ] as const)('is free as soon as its %s is deleted', async (_, deleting) => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = await madePlace(store);
      const alias = anAlias(place);
      await store.aliases.add(wholeAccount(place.accountId), alias);
      const bystander = anAlias(other);
      await store.aliases.add(wholeAccount(other.accountId), bystander);
      await deleting(place)(nextInstant());
      expect(await store.forms.findForIntake(alias.alias)).toBeNull();
      expect(await store.aliases.list(wholeAccount(place.accountId), place.form.id, null)).toEqual([]);
      await expect(store.aliases.add(wholeAccount(place.accountId), anAlias(place))).rejects.toMatchObject({
        rule: 'reference',
      });
      await store.aliases.add(wholeAccount(other.accountId), anAlias(other, { alias: alias.alias }));
      expect((await store.forms.findForIntake(alias.alias))?.form.id).toBe(other.form.id);
      expect((await store.forms.findForIntake(bystander.alias))?.form.id).toBe(other.form.id);
    });

    it('stays with its form if the transaction that deletes the form is undone', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const alias = anAlias(place);
      await store.aliases.add(wholeAccount(place.accountId), alias);
      const undone = store.tx(async (tx) => {
        await tx.forms.markDeleted(place.form.id, nextInstant());
        throw new Error('changed my mind');
      });
      await expect(undone).rejects.toThrow('changed my mind');
      expect((await store.forms.findForIntake(alias.alias))?.form.id).toBe(place.form.id);
    });
  });
}
