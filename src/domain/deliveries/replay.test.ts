import { describe, expect, it } from 'vitest';
import { aForm, aProject } from '../../../test/support/nouns.js';
import { aPlanning } from '../../../test/support/planning.js';
import { only, onlyStore } from '../../../test/support/ports.js';
import { memorySignals } from '../../adapters/signals/memory.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { theSystem } from '../../model/audit.js';
import { builtInWebhook } from '../../model/destination.js';
import type { Replay } from '../../model/replay.js';
import type { ReplayItem } from '../../ports/replays.js';
import type { Store } from '../../ports/store.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import type { CurrentDestinations } from '../sending/current.js';
import { createReplayService, type ReplayOptions } from './replay.js';

const start = Date.UTC(2031, 0, 1);
const who: Principal = {
  ...{ accountId: 'account', plan: 'pro', keyId: 'key', userId: null },
  access: { role: 'editor', projects: [] },
  projectIds: null,
  actor: theSystem,
};
const options: ReplayOptions = {
  formId: 'form',
  projectId: null,
  since: null,
  until: null,
  deliveryState: 'failed',
  perMinute: 60,
};

interface SceneItem {
  readonly submissionId: string;
  readonly targets: readonly ('form' | 'project')[];
}

type Urls = Readonly<Record<'form' | 'project', string | null>>;

/** Takes submissions in order, each with the targets that failed. The fakes implement only what the service calls. */
function scene(submissions: readonly SceneItem[], urls: Partial<Urls> | null = {}) {
  let now = start;
  let replay: Replay | null = null;
  const resent: { id: string; at: number; url: string }[] = [];
  const inFlight = new Set<string>();
  const known: Urls | null = urls && {
    form: 'https://form.test/',
    project: 'https://project.test/',
    ...urls,
  };
  const current: CurrentDestinations = {
    async get({ target }) {
      const webhookUrl = known?.[target] ?? null;
      const owner = target === 'form' ? aForm({ webhookUrl }) : aProject({ webhookUrl });
      const destination = builtInWebhook(owner, null);
      if (!destination) return { destination, reason: 'gone' };
      return { destination, signing: { secret: 's', previousSecret: null, previousSecretUntil: null } };
    },
  };
  const store: Store = onlyStore({
    tx: (work) => work({ ...store, record: () => {} }),
    deliveries: {
      async resend({ id, url }) {
        if (inFlight.has(id)) return false;
        resent.push({ id, url, at: now });
        return true;
      },
    },
    replays: {
      create: async (made) => {
        replay = made;
      },
      find: async ({ accountId }, id) =>
        replay && replay.accountId === accountId && replay.id === id ? replay : null,
      list: async () => (replay ? [replay] : []),
      listRunning: async () => (replay?.state === 'running' ? [replay] : []),
      countRunning: async () => (replay?.state === 'running' ? 1 : 0),
      hold: async (_, afterId) => replay?.state === 'running' && replay.afterId === afterId,
      async progress(next) {
        if (replay?.state !== 'running') return false;
        replay = next;
        return true;
      },
      async cancel() {
        if (replay?.state !== 'running') return false;
        replay = { ...replay, state: 'cancelled', finishedAt: now };
        return true;
      },
      count: async () => submissions.reduce((sum, { targets }) => sum + targets.length, 0),
      async next(_, afterId, limit) {
        const page = submissions.filter(({ submissionId }) => submissionId > afterId).slice(0, limit);
        const items: ReplayItem[] = page.flatMap(({ submissionId, targets }) =>
          targets.map((target) => ({
            id: `${submissionId} ${target}`,
            submissionId,
            formId: 'form',
            projectId: 'project',
            destinationId: `of the ${target}`,
            kind: 'webhook',
            target,
            url: 'https://gone.test/',
          })),
        );
        return { items, afterId: page.length < limit ? null : (page.at(-1)?.submissionId ?? null) };
      },
    },
  });
  const make = () =>
    createReplayService({
      store,
      forms: only<FormService>({ get: async (_, id) => ({ form: aForm({ id }), submissionsCount: 0 }) }),
      projects: only<ProjectService>({ get: async (_, id) => aProject({ id }) }),
      current,
      planning: aPlanning(),
      signals: memorySignals(),
      clock: { now: () => now },
    });
  const it = {
    service: make(),
    resent,
    inFlight,
    current: () => replay,
    restart: () => {
      it.service = make();
    },
    async steps(count: number) {
      for (let i = 0; i < count; i += 1) {
        now += 1_000;
        await it.service.step(new AbortController().signal);
      }
    },
  };
  return it;
}

const many = (count: number, targets: SceneItem['targets'] = ['form']): SceneItem[] =>
  Array.from({ length: count }, (_, i) => ({ submissionId: `s${String(i).padStart(6, '0')}`, targets }));

describe('a replay', () => {
  it('counts without sending', async () => {
    const { service, resent } = scene(many(3, ['form', 'project']));
    expect(await service.count(who, options)).toBe(6);
    expect(resent).toEqual([]);
  });

  it('sends all, oldest first, each once, at its pace, and is finished then', async () => {
    const it = scene(many(10));
    const { id, total } = await it.service.begin(who, { ...options, perMinute: 120 });
    expect(total).toBe(10);
    await it.steps(3);
    expect(it.resent.map(({ id: sent }) => sent)).toEqual(
      many(6).map(({ submissionId }) => `${submissionId} form`),
    );
    await it.steps(10);
    expect(new Set(it.resent.map(({ id: sent }) => sent)).size).toBe(10);
    expect(it.resent).toHaveLength(10);
    expect(await it.service.get(who, id)).toMatchObject({ state: 'finished', sent: 10 });
  });

  it('keeps a pace of less than one in a second, and of submissions with two destinations', async () => {
    const slow = scene(many(10));
    await slow.service.begin(who, { ...options, perMinute: 6 });
    await slow.steps(31);
    expect(slow.resent).toHaveLength(3);
    const double = scene(many(100, ['form', 'project']));
    await double.service.begin(who, { ...options, perMinute: 60 });
    await double.steps(60);
    expect(double.resent.length).toBeGreaterThanOrEqual(59);
    expect(double.resent.length).toBeLessThanOrEqual(61);
  });

  it('is not held up by submissions that have nothing to send', async () => {
    const it = scene([...many(3_000, []), { submissionId: 't', targets: ['form'] }]);
    await it.service.begin(who, { ...options, perMinute: 60 });
    await it.steps(3);
    expect(it.resent.map(({ id }) => id)).toEqual(['t form']);
    expect(it.current()).toMatchObject({ state: 'finished', sent: 1 });
  });

  it('goes on where it was after a restart', async () => {
    const it = scene(many(9));
    await it.service.begin(who, { ...options, perMinute: 180 });
    await it.steps(1);
    it.restart();
    await it.steps(5);
    expect(it.resent.map(({ id }) => id)).toEqual(many(9).map(({ submissionId }) => `${submissionId} form`));
  });

  it('stops when it is cancelled, and can be cancelled once', async () => {
    const it = scene(many(100));
    const { id } = await it.service.begin(who, options);
    await it.steps(4);
    expect(await it.service.cancel(who, id)).toMatchObject({ state: 'cancelled' });
    await it.steps(9);
    expect(it.resent).toHaveLength(4);
    await expect(it.service.cancel(who, id)).rejects.toThrow();
  });

  it('sends to the addresses that are set now, and leaves out what has none or is being sent', async () => {
    const it = scene(many(2, ['form', 'project']), { project: null, form: 'https://new.test/' });
    it.inFlight.add('s000001 form');
    await it.service.begin(who, { ...options, perMinute: 6_000 });
    await it.steps(1);
    expect(it.resent.map(({ id, url }) => [id, url])).toEqual([['s000000 form', 'https://new.test/']]);
    expect(it.current()).toMatchObject({ state: 'finished', sent: 1, total: 4 });
  });

  it('sends nothing of a form that was deleted meanwhile', async () => {
    const it = scene(many(2), null);
    await it.service.begin(who, { ...options, perMinute: 6_000 });
    await it.steps(1);
    expect(it.resent).toEqual([]);
    expect(it.current()?.state).toBe('finished');
  });

  it('covers what came before it began by default', async () => {
    const it = scene(many(1));
    expect(await it.service.begin(who, options)).toMatchObject({ until: start });
    expect(await it.service.begin(who, { ...options, until: 5 })).toMatchObject({ until: 5 });
  });

  it('is unknown to others and by another name', async () => {
    const it = scene(many(1));
    await it.service.begin(who, options);
    await expect(it.service.get(who, 'no uuid')).rejects.toThrow('Replay not found');
    await expect(it.service.get(who, newId(start))).rejects.toThrow('Replay not found');
  });

  it('ends a step when the service stops', async () => {
    const it = scene(many(5));
    await it.service.begin(who, { ...options, perMinute: 600 });
    await it.service.step(AbortSignal.abort());
    expect(it.resent).toEqual([]);
  });
});
