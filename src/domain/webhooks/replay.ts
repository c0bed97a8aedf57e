/**
 * Replays: all deliveries of a form or a project in a time that failed (or arrived) are sent again, so many a minute. How far one
 * has come is stored, so that it goes on after a restart; cancelling it stops it before its next step.
 *
 * What must stay true: should two processes step at the same moment, one of them goes on and the other sends nothing.
 */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { queues } from '../../model/delivery.js';
import { refuse } from '../../model/errors.js';
import type { Replay, ReplayScope } from '../../model/replay.js';
import type { ReplayItem } from '../../ports/replays.js';
import type { Signals } from '../../ports/signals.js';
import type { Store, WebhookSettings } from '../../ports/store.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import { targetUrl } from './settings.js';

export interface ReplayWish {
  readonly formId: string | null;
  readonly projectId: string | null;
  readonly since: number | null;
  readonly until: number | null;
  readonly deliveryState: 'failed' | 'delivered';
  readonly perMinute: number;
}

export interface ReplayService {
  /** How many deliveries it would send. */
  count(who: Principal, wish: ReplayWish): Promise<number>;
  begin(who: Principal, wish: ReplayWish): Promise<Replay>;
  get(who: Principal, id: string): Promise<Replay>;
  list(who: Principal): Promise<readonly Replay[]>;
  cancel(who: Principal, id: string): Promise<Replay>;
  /** Sends what is due of all running replays; called every `stepMs`. */
  step(signal: AbortSignal): Promise<void>;
}

export const replayStepMs = 1_000;
const submissionsPerPage = 200;
const pagesPerStep = 20;
/** Of one account at once: they all share one step. */
const maxRunning = 3;

export function createReplayService(deps: {
  store: Store;
  forms: FormService;
  projects: ProjectService;
  signals: Signals;
  clock: Clock;
}): ReplayService {
  const { store, clock } = deps;
  /** What was left of the last step's allowance: less than one to send, or what was sent too much. */
  const carried = new Map<string, number>();

  const scopeOf = async (who: Principal, wish: ReplayWish): Promise<ReplayScope> => {
    const { formId, projectId, since, deliveryState } = wish;
    return {
      formId: formId === null ? null : (await deps.forms.get(who, formId)).form.id,
      projectId: projectId === null ? null : (await deps.projects.get(who, projectId)).id,
      since,
      until: wish.until ?? clock.now(),
      deliveryState,
    };
  };

  const get = async (who: Principal, id: string): Promise<Replay> => {
    const replay = isUuid(id) ? await store.replays.find(who.accountId, id) : null;
    if (!replay) throw refuse.replayNotFound();
    return replay;
  };

  const stepOne = async (replay: Replay, settings: Map<string, WebhookSettings | null>): Promise<void> => {
    let allowance = (carried.get(replay.id) ?? 0) + (replay.perMinute * replayStepMs) / 60_000;
    let { sent, afterId } = replay;
    const urlOf = async (item: ReplayItem): Promise<string | null> => {
      if (!settings.has(item.formId)) {
        settings.set(item.formId, await store.deliveries.settings(item.formId));
      }
      const current = settings.get(item.formId);
      return current ? targetUrl(current, item) : null;
    };
    // Submissions that have nothing to send cost no allowance, but so many pages of them end the step.
    for (let pages = 0; allowance >= 1 && pages < pagesPerStep; pages += 1) {
      const page = await store.replays.next(replay, afterId, submissionsPerPage);
      const now = clock.now();
      const heldAt = afterId;
      const wanted: { readonly item: ReplayItem; readonly url: string }[] = [];
      let isCut = false;
      for (const item of page.items) {
        // A submission is done whole: the place to go on from lies between two. One too many is made up for later.
        isCut = allowance < 1 && item.submissionId !== afterId;
        if (isCut) break;
        afterId = item.submissionId;
        const url = await urlOf(item);
        if (url === null) continue;
        allowance -= 1;
        wanted.push({ item, url });
      }
      const isDone = !isCut && page.afterId === null;
      if (!isCut) afterId = page.afterId ?? afterId;
      const sentBefore = sent;
      const place = afterId;
      const sentNow = await store.tx(async (tx) => {
        if (!(await tx.replays.hold(replay.id, heldAt))) return null;
        let count = sentBefore;
        for (const { item, url } of wanted) {
          const resent = { id: item.id, url, trigger: 'replay', queue: queues.replay } as const;
          // One that is being sent at this moment needs no replay.
          if (await tx.deliveries.resend(resent, item.submissionId, now)) count += 1;
        }
        const goesOn = await tx.replays.progress({
          ...replay,
          sent: count,
          afterId: place,
          state: isDone ? 'finished' : 'running',
          finishedAt: isDone ? now : null,
        });
        return goesOn ? count : null;
      });
      if (page.items.length > 0) deps.signals.publish({ kind: 'deliveries-ready', urls: [] });
      if (isDone || sentNow === null) {
        carried.delete(replay.id);
        return;
      }
      sent = sentNow;
    }
    // What is left of a step that found too little is not saved up.
    carried.set(replay.id, Math.min(allowance, 1));
  };

  return {
    count: async (who, wish) => store.replays.count(await scopeOf(who, wish)),

    async begin(who, wish) {
      const scope = await scopeOf(who, wish);
      const running = (await store.replays.list(who.accountId)).filter(({ state }) => state === 'running');
      if (running.length >= maxRunning) throw refuse.tooManyReplays(maxRunning);
      const now = clock.now();
      const replay: Replay = {
        ...scope,
        id: newId(now),
        accountId: who.accountId,
        perMinute: wish.perMinute,
        state: 'running',
        total: await store.replays.count(scope),
        sent: 0,
        afterId: '',
        createdAt: now,
        finishedAt: null,
      };
      await store.replays.create(replay);
      return replay;
    },

    get,
    list: (who) => store.replays.list(who.accountId),

    async cancel(who, id) {
      await get(who, id);
      if (!(await store.replays.cancel(who.accountId, id, clock.now()))) throw refuse.replayEnded();
      return get(who, id);
    },

    async step(signal) {
      const settings = new Map<string, WebhookSettings | null>();
      const running = await store.replays.listRunning();
      for (const id of carried.keys()) if (!running.some((replay) => replay.id === id)) carried.delete(id);
      for (const replay of running) {
        if (signal.aborted) return;
        await stepOne(replay, settings);
      }
    },
  };
}
