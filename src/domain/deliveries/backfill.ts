/** Backfill: finds past submissions that a destination missed or that failed there, and plans what is sent for them. */
import { asReplay, type Delivery } from '../../model/delivery.js';
import { builtInEmail, type Destination } from '../../model/destination.js';
import type { Replay, ReplayScope } from '../../model/replay.js';
import type { MissingPage, ReplayItem, SentBefore } from '../../ports/replays.js';
import type { FormAndProject, Store } from '../../ports/store.js';
import { bothOf } from '../planning/filter.js';
import {
  compiledFilter,
  type Planning,
  planDeliveries,
  type Route,
  routeOf,
  sentNow,
} from '../planning/plan.js';

/** A count stops after this many submissions; its result is then a lower bound. */
const mostCounted = 100_000;

/** What one step sends, and where the next step continues. */
export interface Part {
  /** Existing deliveries to resend. */
  readonly chosen: readonly Pick<ReplayItem, 'id' | 'submissionId' | 'url'>[];
  /** New deliveries, for submissions that were never sent. */
  readonly made: readonly Delivery[];
  readonly afterId: string;
  readonly isLast: boolean;
}

type Missing = MissingPage['items'][number];
type Scope = Pick<ReplayScope, 'formId' | 'projectId' | 'since' | 'until' | 'filter'>;

interface ToSend {
  readonly again: readonly SentBefore[];
  readonly first: readonly Delivery[];
}

const nothing: ToSend = { again: [], first: [] };

export class Backfill {
  constructor(private readonly deps: { readonly store: Store; readonly planning: Planning }) {}

  /** Returns what to send next, as far as the allowance goes. */
  async next(replay: Replay, destination: Destination, allowance: number, now: number): Promise<Part> {
    const { afterId } = replay;
    const page = await this.deps.store.replays.nextMissing(replay, destination.id, afterId);
    const route = this.#routeOf(replay, destination);
    const owners = new Map<string, FormAndProject | null>();
    const chosen: SentBefore[] = [];
    const made: Delivery[] = [];
    let reached = afterId;
    for (const item of page.items) {
      if (allowance - chosen.length - made.length < 1)
        return { chosen, made, afterId: reached, isLast: false };
      reached = item.submission.id;
      const { again, first } = await this.#toSend(item, route, owners, now);
      chosen.push(...again);
      made.push(...first);
    }
    return { chosen, made, afterId: page.afterId ?? reached, isLast: page.afterId === null };
  }

  /** Returns how many deliveries a backfill would send. */
  async count(scope: Scope, destination: Destination): Promise<number> {
    const { store } = this.deps;
    const route = this.#routeOf(scope, destination);
    const owners = new Map<string, FormAndProject | null>();
    let count = 0;
    let looked = 0;
    for (let afterId: string | null = ''; afterId !== null && looked < mostCounted; ) {
      const page: MissingPage = await store.replays.nextMissing(scope, destination.id, afterId);
      for (const item of page.items) {
        looked += 1;
        const { again, first } = await this.#toSend(item, route, owners, 0);
        count += again.length + first.length;
      }
      afterId = page.afterId;
    }
    return count;
  }

  #routeOf({ filter }: Pick<Scope, 'filter'>, destination: Destination): Route {
    const route = routeOf(destination);
    return { ...route, filter: bothOf(route.filter, compiledFilter(filter)) };
  }

  /** Returns the failed deliveries of a submission, or its first ones; nothing when it does not pass the filters. */
  async #toSend(
    { submission, sent }: Missing,
    route: Route,
    owners: Map<string, FormAndProject | null>,
    now: number,
  ): Promise<ToSend> {
    const { store, planning } = this.deps;
    const { formId, files } = submission;
    if (!owners.has(formId)) owners.set(formId, await store.forms.findWithProject(formId));
    const owner = owners.get(formId);
    if (!owner) return nothing;
    const routes = { all: [route], notifications: builtInEmail(owner.form, null), reply: null };
    const plan = planDeliveries({ ...owner, submission, files }, routes, planning, [], now);
    if (plan.skipped.length > 0) return nothing;
    if (sent.length > 0) return { again: sent.filter(({ state }) => state === 'failed'), first: [] };
    return { again: [], first: plan.deliveries.map((delivery) => sentNow(delivery, asReplay, now)) };
  }
}
