/**
 * Replays resend all deliveries of a form or a project from a time range that failed (or arrived), at a given rate per minute.
 * Progress is stored, so a replay continues after a restart. Cancelling stops it before its next step (`replay-steps.ts`).
 */

import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import type { WebhookState } from '../../model/delivery.js';
import { refuse } from '../../model/errors.js';
import type { Replay, ReplayScope } from '../../model/replay.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { FormService } from '../forms/service.js';
import type { Planning } from '../planning/plan.js';
import type { ProjectService } from '../projects/service.js';
import type { CurrentDestinations } from '../sending/current.js';
import { ReplaySteps } from './replay-steps.js';

export interface ReplayOptions {
  readonly formId: string | null;
  readonly projectId: string | null;
  readonly since: number | null;
  readonly until: number | null;
  readonly deliveryState: WebhookState;
  readonly perMinute: number;
}

export interface ReplayService {
  /** Returns how many deliveries a replay would send. */
  count(who: Principal, options: ReplayOptions): Promise<number>;
  begin(who: Principal, options: ReplayOptions): Promise<Replay>;
  /** The caller has already checked access to the scope. */
  beginScope(who: Principal, scope: ReplayScope, perMinute: number, total: number): Promise<Replay>;
  get(who: Principal, id: string): Promise<Replay>;
  list(who: Principal): Promise<readonly Replay[]>;
  cancel(who: Principal, id: string): Promise<Replay>;
  /** Sends what is due for all running replays. Called every `replayStepMs`. */
  step(signal: AbortSignal): Promise<void>;
}

/** Running replays per account: all of them share one step. */
const maxRunning = 3;

export interface ReplayServiceDeps {
  readonly store: Store;
  readonly forms: FormService;
  readonly projects: ProjectService;
  readonly current: CurrentDestinations;
  readonly planning: Planning;
  readonly signals: Signals;
  readonly clock: Clock;
}

export function createReplayService(deps: ReplayServiceDeps): ReplayService {
  const { store, clock } = deps;
  const steps = new ReplaySteps(deps);

  const scopeOf = async (who: Principal, options: ReplayOptions): Promise<ReplayScope> => {
    const { formId, projectId, since, deliveryState } = options;
    return {
      formId: formId === null ? null : (await deps.forms.get(who, formId)).form.id,
      projectId: projectId === null ? null : (await deps.projects.get(who, projectId)).id,
      since,
      until: options.until ?? clock.now(),
      deliveryState,
      destinationId: null,
      filter: null,
    };
  };

  const get = async (who: Principal, id: string): Promise<Replay> => {
    const replay = isUuid(id) ? await store.replays.find(who, id) : null;
    if (!replay) throw refuse.replayNotFound();
    return replay;
  };

  const beginScope = async (
    who: Principal,
    scope: ReplayScope,
    perMinute: number,
    total: number,
  ): Promise<Replay> => {
    const replay = newReplay(who, scope, perMinute, total, clock.now());
    await store.tx(async (tx) => {
      if ((await tx.replays.countRunning(who.accountId)) >= maxRunning)
        throw refuse.tooManyReplays(maxRunning);
      await tx.replays.create(replay);
      record(tx, who, { action: 'replay.started', object: { kind: 'replay', id: replay.id }, after: replay });
    });
    return replay;
  };

  return {
    count: async (who, options) => store.replays.count(await scopeOf(who, options)),

    async begin(who, options) {
      const scope = await scopeOf(who, options);
      return beginScope(who, scope, options.perMinute, await store.replays.count(scope));
    },
    beginScope,

    get,
    list: (who) => store.replays.list(who),

    async cancel(who, id) {
      await get(who, id);
      await store.tx(async (tx) => {
        if (!(await tx.replays.cancel(who, id, clock.now()))) throw refuse.replayEnded();
        record(tx, who, { action: 'replay.cancelled', object: { kind: 'replay', id } });
      });
      return get(who, id);
    },

    step: (signal) => steps.step(signal),
  };
}

const newReplay = (
  { accountId }: Principal,
  scope: ReplayScope,
  perMinute: number,
  total: number,
  now: number,
): Replay => ({
  ...scope,
  id: newId(now),
  accountId,
  perMinute,
  state: 'running',
  total,
  sent: 0,
  afterId: '',
  createdAt: now,
  finishedAt: null,
});
