import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { aForm, aProject, someTime } from '../../../test/support/nouns.js';
import { onlyStore } from '../../../test/support/ports.js';
import { memorySignals } from '../../adapters/signals/memory.js';
import { newId } from '../../kernel/ids.js';
import {
  builtInEmail,
  builtInId,
  builtInWebhook,
  type Destination,
  unknownHealth,
} from '../../model/destination.js';
import type { Project } from '../../model/project.js';
import { type Addressed, addressOf, createCurrentDestinations } from './current.js';

const url = 'https://form.test/in';

/** A form, its project and the stored destinations, all of which can be changed. */
function scene() {
  const project = aProject();
  const form = aForm({ projectId: project.id, webhookUrl: url });
  const world = {
    ...{ form, project, isDeleted: false, rows: new Map<string, Destination>(), now: someTime },
    /** Projects that the form was in before. */
    left: [] as readonly Project[],
  };
  let loads = 0;
  const signals = memorySignals();
  const current = createCurrentDestinations({
    store: onlyStore({
      forms: {
        async findWithProject() {
          loads += 1;
          return world.isDeleted ? null : { form: world.form, project: world.project };
        },
      },
      projects: { load: async (id) => world.left.find((one) => one.id === id) ?? null },
      destinations: {
        async load(id) {
          const row = world.rows.get(id);
          return row ? { ...row, health: unknownHealth } : null;
        },
      },
    }),
    clock: { now: () => world.now },
    signals,
  });
  const webhook: Addressed = {
    formId: form.id,
    projectId: project.id,
    destinationId: builtInId(form.id, 'webhook'),
    kind: 'webhook',
    target: 'form',
    url,
  };
  const changed = async (): Promise<void> => {
    signals.publish({ kind: 'intake-changed' });
    await nextTurn();
  };
  return { world, current, webhook, changed, loads: () => loads };
}

const own = (destination: Destination | null): Destination => {
  if (!destination) throw new Error('It has an address');
  return { ...destination, id: 'own', builtIn: false };
};

describe('the destination of a delivery', () => {
  it('is what its owner has set now, with the secrets of now', async () => {
    const { world, current, webhook, changed } = scene();
    world.form = { ...world.form, webhookUrl: 'https://corrected.test/in' };
    world.project = { ...world.project, webhookSecret: 'new', previousSecret: 'old', previousSecretUntil: 9 };
    await changed();
    const { destination, ...found } = await current.get(webhook);
    expect(destination && addressOf(webhook, destination)).toBe('https://corrected.test/in');
    expect(found).toEqual({ signing: { secret: 'new', previousSecret: 'old', previousSecretUntil: 9 } });
  });

  it('is read once in a second, and again as soon as something changed', async () => {
    const { world, current, webhook, changed, loads } = scene();
    await Promise.all([current.get(webhook), current.get(webhook)]);
    world.now += 999;
    await current.get(webhook);
    expect(loads()).toBe(1);
    world.now += 1;
    await current.get(webhook);
    expect(loads()).toBe(2);
    // A clock that is set back must not extend its lifetime.
    world.now -= 60_000;
    await current.get(webhook);
    expect(loads()).toBe(3);
    await changed();
    await current.get(webhook);
    expect(loads()).toBe(4);
  });

  it('is nobody when it was removed, disabled, or its form deleted', async () => {
    const { world, current, webhook, changed } = scene();
    const reason = async (of: Addressed): Promise<string | null> => {
      await changed();
      const found = await current.get(of);
      return found.destination === null ? found.reason : null;
    };
    const gone: Addressed = { ...webhook, destinationId: 'own', kind: 'slack' };
    expect(await reason(webhook)).toBeNull();
    expect(await reason(gone)).toBe('the destination was removed');
    const stored = own(builtInWebhook(world.form, null));
    const disabled = { ...stored, id: webhook.destinationId, builtIn: true, isActive: false };
    world.rows.set(webhook.destinationId, disabled);
    expect(await reason(webhook)).toBe('the destination is disabled');
    world.rows.clear();
    world.form = { ...world.form, webhookUrl: null };
    expect(await reason(webhook)).toBe('the webhook URL was removed');
    world.isDeleted = true;
    expect(await reason(webhook)).toBe('the form was deleted');
  });

  it('is the project’s when form and project named the same endpoint and the form does no longer', async () => {
    const { world, current, webhook } = scene();
    world.form = { ...world.form, webhookUrl: null };
    world.project = { ...world.project, webhookUrl: 'https://FORM.test:443/in' };
    const { destination } = await current.get(webhook);
    expect(destination?.config).toMatchObject({ url: 'https://FORM.test:443/in' });
  });

  it('is that of the project it was planned in after the form has moved, until that project is deleted', async () => {
    const { world, current, webhook, changed } = scene();
    const before = { ...world.project, webhookUrl: 'https://before.test/in', webhookSecret: 'before' };
    world.left = [before];
    world.project = { ...aProject(), id: newId(someTime), webhookUrl: 'https://after.test/in' };
    const destinationId = builtInId(before.id, 'webhook');
    const planned: Addressed = { ...webhook, destinationId, target: 'project' };
    const found = await current.get(planned);
    expect(found).toMatchObject({
      destination: { config: { url: 'https://before.test/in' } },
      signing: { secret: 'before' },
    });
    expect(await current.get(webhook)).toMatchObject({
      destination: { config: { url } },
      signing: { secret: world.project.webhookSecret },
    });
    world.left = [];
    await changed();
    expect(await current.get(planned)).toMatchObject({ reason: 'the webhook URL was removed' });
  });

  it('keeps the address that a mail was planned for, and has the schedule of its row', async () => {
    const { world, current, webhook } = scene();
    const destinationId = builtInId(world.form.id, 'email');
    world.rows.set(destinationId, { ...builtInEmail(world.form, null), retryDelaysMs: [7] });
    const mail: Addressed = { ...webhook, destinationId, kind: 'email', url: 'ada@example.com' };
    const { destination } = await current.get(mail);
    expect(destination?.retryDelaysMs).toEqual([7]);
    expect(destination && addressOf(mail, destination)).toBe('ada@example.com');
  });
});
