/**
 * The steps of running replays. Each step sends what the replay's pace allows, one page of submissions at a time.
 *
 * Invariant: when two processes step a replay at the same time, one proceeds and the other sends nothing.
 */

import type { Clock } from '../../kernel/clock.js';
import { asReplay } from '../../model/delivery.js';
import { builtInEmail, builtInId, builtInWebhook, type Destination } from '../../model/destination.js';
import { wholeAccount } from '../../model/reach.js';
import type { Replay } from '../../model/replay.js';
import type { ReplayItem, ReplayPage } from '../../ports/replays.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';
import type { Planning } from '../planning/plan.js';
import { addressOf, type CurrentDestinations } from '../sending/current.js';
import { Backfill, type Part } from './backfill.js';

export const replayStepMs = 1_000;
const submissionsPerPage = 200;
const pagesPerStep = 20;

export class ReplaySteps {
  /** Allowance left over from the last step: at most one delivery, negative after an overrun. */
  readonly #carried = new Map<string, number>();
  readonly #backfill: Backfill;

  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly current: CurrentDestinations;
      readonly planning: Planning;
      readonly signals: Signals;
      readonly clock: Clock;
    },
  ) {
    this.#backfill = new Backfill(deps);
  }

  async step(signal: AbortSignal): Promise<void> {
    const running = await this.deps.store.replays.listRunning();
    for (const id of this.#carried.keys()) {
      if (!running.some((replay) => replay.id === id)) this.#carried.delete(id);
    }
    for (const replay of running) {
      if (signal.aborted) return;
      await this.#stepOne(replay);
    }
  }

  async #stepOne(replay: Replay): Promise<void> {
    const { signals } = this.deps;
    let allowance = (this.#carried.get(replay.id) ?? 0) + (replay.perMinute * replayStepMs) / 60_000;
    let reached = replay;
    // Submissions with nothing to send cost no allowance, so the number of pages limits the step as well.
    for (let pages = 0; allowance >= 1 && pages < pagesPerStep; pages += 1) {
      const part = await this.#next(reached, allowance);
      const progress = await this.#send(reached, part);
      const size = part.chosen.length + part.made.length;
      if (size > 0) signals.publish({ kind: 'deliveries-ready', lanes: [] });
      if (progress?.state !== 'running') {
        this.#carried.delete(replay.id);
        return;
      }
      allowance -= size;
      reached = progress;
    }
    // Unused allowance does not accumulate across steps.
    this.#carried.set(replay.id, Math.min(allowance, 1));
  }

  async #next(replay: Replay, allowance: number): Promise<Part> {
    const { store } = this.deps;
    if (replay.destinationId !== null) return this.#missed(replay, replay.destinationId, allowance);
    const page = await store.replays.next(replay, replay.afterId, submissionsPerPage);
    return this.#choose(page, replay.afterId, allowance);
  }

  /** Returns an empty last part when the destination was removed meanwhile. */
  async #missed(replay: Replay, destinationId: string, allowance: number): Promise<Part> {
    const { clock } = this.deps;
    const destination = await this.#load(replay, destinationId);
    if (!destination) return { chosen: [], made: [], afterId: replay.afterId, isLast: true };
    return this.#backfill.next(replay, destination, allowance, clock.now());
  }

  /** A built-in destination is derived from its owner's settings. */
  async #load({ accountId, formId, projectId }: Replay, id: string): Promise<Destination | null> {
    const { store } = this.deps;
    const stored = await store.destinations.load(id);
    if (stored && !stored.builtIn) return stored;
    const owner =
      formId === null
        ? await store.projects.find(wholeAccount(accountId), projectId ?? '')
        : (await store.forms.findWithProject(formId))?.form;
    if (!owner) return null;
    return id === builtInId(owner.id, 'email') ? builtInEmail(owner, stored) : builtInWebhook(owner, stored);
  }

  async #choose(page: ReplayPage, after: string, allowance: number): Promise<Part> {
    const chosen: Pick<ReplayItem, 'id' | 'submissionId' | 'url'>[] = [];
    let afterId = after;
    for (const item of page.items) {
      // A step stops only between submissions, never within one. An overrun is deducted from the next step.
      if (allowance - chosen.length < 1 && item.submissionId !== afterId)
        return { chosen, made: [], afterId, isLast: false };
      afterId = item.submissionId;
      const { destination } = await this.deps.current.get(item);
      if (destination) chosen.push({ ...item, url: addressOf(item, destination) });
    }
    return { chosen, made: [], afterId: page.afterId ?? afterId, isLast: page.afterId === null };
  }

  /** Returns null when the replay was cancelled, or when another process has already continued from here. */
  #send(replay: Replay, { chosen, made, afterId, isLast }: Part): Promise<Replay | null> {
    const now = this.deps.clock.now();
    return this.deps.store.tx(async (tx) => {
      if (!(await tx.replays.hold(replay.id, replay.afterId))) return null;
      let { sent } = replay;
      for (const { id, url, submissionId } of chosen) {
        // A delivery that is being sent right now needs no replay.
        if (await tx.deliveries.resend({ id, url, ...asReplay }, submissionId, now)) sent += 1;
      }
      if (made.length > 0) await tx.deliveries.create(made);
      sent += made.length;
      const state = isLast ? 'finished' : 'running';
      const progress: Replay = { ...replay, sent, afterId, state, finishedAt: isLast ? now : null };
      return (await tx.replays.progress(progress)) ? progress : null;
    });
  }
}
