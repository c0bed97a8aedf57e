import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { builtInEmail, builtInId, builtInWebhook, unknownHealth } from '#inlet/model/destination.js';
import { wholeAccount } from '#inlet/model/reach.js';
import type { Destination, KindAndConfig } from '../../../src/model/destination.js';
import type { DestinationOwner, HealthChange } from '../../../src/ports/destinations.js';
import { type MakeHarness, shared } from './harness.js';
import { made, madePlace, nextInstant, type Place } from './samples.js';

const webhook = {
  kind: 'webhook',
  config: {
    url: 'https://example.com/hook',
    method: 'PUT',
    headers: { 'x-team': 'sales', authorization: 'Bearer plain-header' },
    secret: 'plain-secret',
    content_type: 'application/x-www-form-urlencoded',
  },
} as const;

export function aDestination(
  { project, form }: Place,
  owner: DestinationOwner['kind'],
  some: Partial<Pick<Destination, 'id' | 'name' | 'isActive'>> = {},
): Destination {
  const createdAt = nextInstant();
  return {
    ...webhook,
    id: newId(createdAt),
    projectId: project.id,
    formId: owner === 'form' ? form.id : null,
    name: 'Größe 日本 🎉',
    isActive: true,
    builtIn: false,
    filter: '{"submission":{"data":{"topic":"sales"}}}',
    template: '{"text":"{{fields.name}}"}',
    retryDelaysMs: [0, 60_000, 0.5],
    createdAt,
    updatedAt: createdAt,
    ...some,
  };
}

/** Nothing has happened yet. */
const aChange = ({ form, project }: Place, destinationId: string): HealthChange => ({
  ...{ destinationId, kind: 'webhook', target: 'form', formId: form.id, projectId: project.id },
  ...{ succeededAt: null, failures: 0, firstFailedAt: null, lastFailedAt: null, lastError: null },
});

const ofForm = ({ form }: Place): DestinationOwner => ({ kind: 'form', formId: form.id });
const ofProject = ({ project }: Place): DestinationOwner => ({ kind: 'project', projectId: project.id });
const fresh = (destination: Destination) => ({ ...destination, health: unknownHealth });

export function destinationsContract(make: MakeHarness): void {
  describe('destinations', () => {
    const harness = shared(make);

    it('lists those in trouble a page at a time, without those that are known to be disabled', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { accountId } = place.project;
      const all = [1, 2, 3, 4].map(() => aDestination(place, 'form'));
      for (const one of all) await store.destinations.create(wholeAccount(accountId), one);
      const [first, second, third, fourth] = all.map(({ id }) => id) as [string, string, string, string];
      await store.destinations.recordHealth(
        [first, second, third].map((destinationId) => ({
          ...aChange(place, destinationId),
          failures: 10,
          firstFailedAt: nextInstant(),
          lastFailedAt: nextInstant(),
          lastError: 'http_5xx',
        })),
      );
      const pageAfter = async (id: string, limit: number) =>
        (await store.destinations.listTroubled(id, limit)).map((one) => one.id);
      const before = `${first.slice(0, -1)}/`;
      expect(await pageAfter(before, 1)).toEqual([first]);
      expect(await pageAfter(first, 2)).toEqual([second, third]);
      await store.destinations.disable(second, nextInstant());
      expect(await pageAfter(first, 1)).toEqual([second]);
      await store.destinations.markNotified(second, 'ok', 'disabled');
      expect(await pageAfter(first, 1)).toEqual([third]);
      expect(await pageAfter(third, 10)).not.toContain(fourth);
    });

    it.each(['form', 'project'] as const)(
      'lists a webhook URL in trouble only while its %s has it',
      async (target) => {
        const { store } = harness();
        const place = await madePlace(store);
        const id = builtInId(place[target].id, 'webhook');
        const isListedWith = async (webhookUrl: string | null) => {
          const { form, project } = place;
          if (target === 'form') await store.forms.update(form.id, { ...form, webhookUrl }, nextInstant());
          else await store.projects.update(project.id, { ...project, webhookUrl }, nextInstant());
          const listed = await store.destinations.listTroubled('', 1_000);
          return listed.some((one) => one.id === id);
        };
        const change = { ...aChange(place, id), target, failures: 1, firstFailedAt: 1, lastFailedAt: 1 };
        await store.destinations.recordHealth([change]);
        expect(await isListedWith('https://example.com/')).toBe(true);
        expect(await isListedWith(null)).toBe(false);
      },
    );

    it('gives back what was stored, of every kind', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const url = 'https://hooks.example.com/services/a';
      const kinds: readonly KindAndConfig[] = [
        { kind: 'email', config: { to: ['a@example.com'], cc: [], bcc: ['b@example.com'] } },
        { kind: 'slack', config: { url } },
        { kind: 'discord', config: { url } },
        { kind: 'teams', config: { url } },
        { kind: 'telegram', config: { token: '123:abc', chat_id: '-1' } },
        { kind: 'google_sheets', config: { credentials: '{}', spreadsheet_id: 'x', sheet: 'Größe' } },
      ];
      for (const kind of kinds) {
        const some = { filter: null, template: null, retryDelaysMs: null };
        const destination: Destination = { ...aDestination(place, 'form'), ...some, ...kind };
        await store.destinations.create(wholeAccount(place.accountId), destination);
        expect(await store.destinations.find(wholeAccount(place.accountId), destination.id)).toEqual(
          fresh(destination),
        );
      }
    });

    it('lists and counts those of a form and those of a project apart, oldest first', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const sibling = await madePlace(store, { project: place.project });
      const { accountId } = place;
      const forms = [aDestination(place, 'form'), aDestination(place, 'form')];
      const projects = [aDestination(place, 'project')];
      const others = [aDestination(sibling, 'form')];
      for (const one of [...forms, ...projects, ...others].reverse())
        await store.destinations.create(wholeAccount(accountId), one);
      expect(await store.destinations.list(wholeAccount(accountId), ofForm(place))).toEqual(forms.map(fresh));
      expect(await store.destinations.list(wholeAccount(accountId), ofProject(place))).toEqual(
        projects.map(fresh),
      );
      expect(await store.destinations.count(wholeAccount(accountId), ofForm(place))).toBe(2);
      expect(await store.destinations.count(wholeAccount(accountId), ofProject(place))).toBe(1);
      expect(await store.destinations.listForIntake(place.form.id, place.project.id)).toEqual(
        [...forms, ...projects].map(fresh),
      );
      expect(await store.destinations.load(others[0]?.id ?? '')).toEqual(others.map(fresh)[0]);
      expect(await store.destinations.load(place.form.id)).toBeNull();
    });

    it('keeps the row of a built-in one beside them, once, without its address', async () => {
      const { store } = harness();
      const form = { webhookUrl: 'https://plain-address.example.com/', notifyEmails: ['plain@example.com'] };
      const place = await madePlace(store, { form });
      const { accountId } = place;
      for (const builtIn of [builtInWebhook(place.form, null), builtInEmail(place.form, null)]) {
        if (!builtIn) throw new Error('The form has both');
        await store.destinations.putBuiltIn(wholeAccount(accountId), builtIn);
        const changed = { ...builtIn, name: 'CRM', isActive: false, filter: '{}', retryDelaysMs: [1] };
        await store.destinations.putBuiltIn(wholeAccount(accountId), changed);
        const { config: _, ...settings } = changed;
        expect(await store.destinations.find(wholeAccount(accountId), builtIn.id)).toMatchObject(settings);
        expect(JSON.stringify(await store.destinations.load(builtIn.id))).not.toContain('plain');
        expect(await store.destinations.delete(wholeAccount(accountId), builtIn.id)).toBe(false);
      }
      expect(await store.destinations.count(wholeAccount(accountId), ofForm(place))).toBe(0);
      expect(await store.destinations.list(wholeAccount(accountId), ofForm(place))).toHaveLength(2);
      expect(await store.destinations.listForIntake(place.form.id, place.project.id)).toHaveLength(2);
    });

    it('changes the settings and nothing else', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { accountId } = place;
      const destination = aDestination(place, 'form');
      const bystander = aDestination(place, 'form');
      await store.destinations.create(wholeAccount(accountId), destination);
      await store.destinations.create(wholeAccount(accountId), bystander);
      const changed: Destination = {
        ...destination,
        kind: 'webhook',
        config: { ...webhook.config, url: 'https://example.com/other', headers: {}, secret: null },
        name: 'Other',
        isActive: false,
        filter: null,
        template: null,
        retryDelaysMs: null,
        updatedAt: nextInstant(),
      };
      const moved = { ...changed, projectId: 'elsewhere', formId: null, createdAt: 0, builtIn: false };
      expect(await store.destinations.update(wholeAccount(accountId), moved)).toBe(true);
      expect(await store.destinations.find(wholeAccount(accountId), destination.id)).toEqual(fresh(changed));
      expect(await store.destinations.find(wholeAccount(accountId), bystander.id)).toEqual(fresh(bystander));
      expect(
        await store.destinations.update(wholeAccount(accountId), { ...changed, id: newId(nextInstant()) }),
      ).toBe(false);
    });

    it('forgets the failures of one that is switched on again, and of no other', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const { accountId } = place;
      const off = aDestination(place, 'form', { isActive: false });
      const on = aDestination(place, 'form');
      const trouble = `failures = 7, failing_since = 5, last_failed_at = 8, last_success_at = 4, last_error = 'x', disabled_at = 6,
        told_state = 'disabled'`;
      for (const one of [off, on]) {
        await store.destinations.create(wholeAccount(accountId), one);
        await run(`UPDATE destinations SET ${trouble} WHERE id = '${one.id}'`);
        await store.destinations.update(wholeAccount(accountId), { ...one, isActive: true });
      }
      const times = { failingSince: 5, lastFailedAt: 8, lastSuccessAt: 4, disabledAt: 6 };
      const known = { ...times, failures: 7, lastError: 'x' };
      const healthOf = async (id: string) =>
        (await store.destinations.find(wholeAccount(accountId), id))?.health;
      expect(await healthOf(on.id)).toEqual(known);
      expect(await healthOf(off.id)).toEqual({ ...known, failures: 0, failingSince: null, disabledAt: null });
    });

    it('starts afresh where it sends elsewhere, and is enabled unless a user disabled it', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const reach = wholeAccount(place.accountId);
      const afterStart = async (isActive: 0 | 1, disabledAt: number | null) => {
        const { id } = aDestination(place, 'form');
        await store.destinations.create(reach, { ...aDestination(place, 'form'), id });
        await run(`UPDATE destinations SET failures = 7, failing_since = 5, last_failed_at = 6, last_error = 'x',
          is_active = ${isActive}, disabled_at = ${disabledAt}, told_state = 'failing' WHERE id = '${id}'`);
        await store.destinations.startAfresh(id);
        const [told] = await run(`SELECT told_state FROM destinations WHERE id = '${id}'`);
        const found = await store.destinations.find(reach, id);
        return { told, isActive: found?.isActive, health: found?.health };
      };
      const health = { ...unknownHealth, lastFailedAt: 6, lastError: 'x' };
      const told = { told_state: 'ok' };
      expect(await afterStart(1, null)).toEqual({ told, isActive: true, health });
      expect(await afterStart(0, 7)).toEqual({ told, isActive: true, health });
      expect(await afterStart(0, null)).toEqual({ told, isActive: false, health });
    });

    it('knows its first failure since the last success, and its last failure', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const destination = aDestination(place, 'form');
      await store.destinations.create(wholeAccount(place.accountId), destination);
      const healthAfter = async (change: Partial<HealthChange>) => {
        await store.destinations.recordHealth([{ ...aChange(place, destination.id), ...change }]);
        return (await store.destinations.load(destination.id))?.health;
      };
      const failed = (at: number) => ({
        failures: 1,
        firstFailedAt: at,
        lastFailedAt: at,
        lastError: `${at}`,
      });
      await healthAfter(failed(5));
      expect(await healthAfter(failed(7))).toEqual({
        ...{ failures: 2, failingSince: 5, lastFailedAt: 7, lastError: '7' },
        ...{ lastSuccessAt: null, disabledAt: null },
      });
      const works = { failures: 0, failingSince: null, lastFailedAt: 7, lastSuccessAt: 8, lastError: null };
      expect(await healthAfter({ succeededAt: 8 })).toEqual({ ...works, disabledAt: null });
      expect(await healthAfter({ ...failed(10), succeededAt: 9 })).toMatchObject({
        ...{ failures: 1, failingSince: 10, lastFailedAt: 10, lastSuccessAt: 9 },
      });
    });

    it('stores the last success of one that works once a minute, and at once when it has failed', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { id } = aDestination(place, 'form');
      await store.destinations.create(wholeAccount(place.accountId), { ...aDestination(place, 'form'), id });
      const healthAfter = async (change: Partial<HealthChange>) => {
        await store.destinations.recordHealth([{ ...aChange(place, id), ...change }]);
        return (await store.destinations.load(id))?.health;
      };
      expect(await healthAfter({ succeededAt: 100_000 })).toMatchObject({ lastSuccessAt: 100_000 });
      expect(await healthAfter({ succeededAt: 160_000 })).toMatchObject({ lastSuccessAt: 100_000 });
      expect(await healthAfter({ succeededAt: 160_001 })).toMatchObject({ lastSuccessAt: 160_001 });
      await healthAfter({ failures: 1, firstFailedAt: 160_002, lastFailedAt: 160_002, lastError: 'x' });
      expect(await healthAfter({ succeededAt: 160_003 })).toMatchObject({
        ...{ failures: 0, failingSince: null, lastSuccessAt: 160_003, lastError: null },
      });
    });

    it('is deleted once', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const destination = aDestination(place, 'project');
      await store.destinations.create(wholeAccount(place.accountId), destination);
      expect(await store.destinations.delete(wholeAccount(place.accountId), destination.id)).toBe(true);
      expect(await store.destinations.delete(wholeAccount(place.accountId), destination.id)).toBe(false);
      expect(await store.destinations.load(destination.id)).toBeNull();
    });

    it('belongs to the account of its owner', async () => {
      const { store } = harness();
      const place = await madePlace(store, { form: { webhookUrl: 'https://example.com/' } });
      const outsider = await madePlace(store);
      const destination = aDestination(place, 'form');
      const builtIn = builtInWebhook(place.form, null);
      if (!builtIn) throw new Error('The form has one');
      const refused = { rule: 'reference' };
      const { destinations } = store;
      await expect(destinations.create(wholeAccount(outsider.accountId), destination)).rejects.toMatchObject(
        refused,
      );
      await expect(destinations.putBuiltIn(wholeAccount(outsider.accountId), builtIn)).rejects.toMatchObject(
        refused,
      );
      // A form of another project, even one of the same account.
      const mixed = { ...destination, projectId: outsider.project.id };
      await expect(destinations.create(wholeAccount(outsider.accountId), mixed)).rejects.toMatchObject(
        refused,
      );
      await destinations.create(wholeAccount(place.accountId), destination);
      await destinations.putBuiltIn(wholeAccount(place.accountId), builtIn);
      for (const id of [destination.id, builtIn.id]) {
        expect(await destinations.find(wholeAccount(outsider.accountId), id)).toBeNull();
        expect(await destinations.delete(wholeAccount(outsider.accountId), id)).toBe(false);
      }
      const changed = { ...destination, name: 'taken over' };
      expect(await destinations.update(wholeAccount(outsider.accountId), changed)).toBe(false);
      expect(await destinations.list(wholeAccount(outsider.accountId), ofForm(place))).toEqual([]);
      expect(await destinations.list(wholeAccount(outsider.accountId), ofProject(place))).toEqual([]);
      expect(await destinations.count(wholeAccount(outsider.accountId), ofForm(place))).toBe(0);
      expect(await destinations.find(wholeAccount(place.accountId), destination.id)).toEqual(
        fresh(destination),
      );
    });

    it.each(['form', 'project'] as const)('is gone with its %s, and purged with it', async (kind) => {
      const { store, run } = harness();
      const place = await madePlace(store, { form: { webhookUrl: 'https://example.com/' } });
      const bystander = await madePlace(store);
      const { accountId } = place;
      const gone = [
        aDestination(place, 'form'),
        ...(kind === 'form' ? [] : [aDestination(place, 'project')]),
      ];
      for (const one of gone) await store.destinations.create(wholeAccount(accountId), one);
      const kept = aDestination(bystander, 'project');
      await store.destinations.create(wholeAccount(bystander.accountId), kept);
      if (kind === 'form') await store.forms.markDeleted(place.form.id, nextInstant());
      else await store.projects.markDeleted(place.project.id, nextInstant());
      for (const { id } of gone) {
        expect(await store.destinations.find(wholeAccount(accountId), id)).toBeNull();
        expect(await store.destinations.load(id)).toBeNull();
        expect(await store.destinations.delete(wholeAccount(accountId), id)).toBe(false);
      }
      expect(await store.destinations.list(wholeAccount(accountId), ofForm(place))).toEqual([]);
      await expect(
        store.destinations.create(wholeAccount(accountId), aDestination(place, 'form')),
      ).rejects.toMatchObject({
        rule: 'reference',
      });
      while (await store.purge.purgeDeletedStep(nextInstant()));
      for (const { id } of gone)
        expect(await run(`SELECT id FROM destinations WHERE id = '${id}'`)).toEqual([]);
      expect(await store.destinations.load(kept.id)).toEqual(fresh(kept));
    });

    it('counts what waits for each, in all its lanes, up to a limit', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const [one, other, idle] = [0, 1, 2].map(() => aDestination(place, 'form').id);
      const { submission } = await made(store, place, { deliveries: 6 });
      const deliveries = await store.deliveries.listBySubmission(submission.id);
      const lanes = [
        `https://a ${one}`,
        `https://a ${one}`,
        `https://b ${one}`,
        `https://a ${other}`,
        'x',
        '',
      ];
      for (const [index, lane] of lanes.entries())
        await run(`UPDATE deliveries SET lane = '${lane}' WHERE id = '${deliveries[index]?.id}'`);
      const ids = [one, other, idle].map(String);
      expect(await store.destinations.waiting(ids, 100)).toEqual(
        new Map([
          [one, 3],
          [other, 1],
        ]),
      );
      expect((await store.destinations.waiting(ids, 2)).get(String(one))).toBe(2);
      await run(`UPDATE deliveries SET state = 'delivered' WHERE lane = 'https://a ${one}'`);
      expect(await store.destinations.waiting(ids, 100)).toEqual(
        new Map([
          [one, 1],
          [other, 1],
        ]),
      );
      await run(`UPDATE deliveries SET queue = queue + 100 WHERE lane LIKE '%${other}'`);
      expect(await store.destinations.waiting(ids, 100)).toEqual(new Map([[one, 1]]));
      expect(await store.destinations.waiting([], 100)).toEqual(new Map());
    });

    it('lets nobody read its config in a stolen copy', async () => {
      const { store, storedTexts } = harness();
      const place = await madePlace(store);
      const destination = aDestination(place, 'form');
      await store.destinations.create(wholeAccount(place.accountId), destination);
      await store.destinations.update(wholeAccount(place.accountId), destination);
      const texts = await storedTexts();
      expect(texts).toContain(destination.filter);
      expect(texts.filter((text) => /plain-(secret|header)|example\.com\/hook$/.test(text))).toEqual([]);
    });
  });
}
