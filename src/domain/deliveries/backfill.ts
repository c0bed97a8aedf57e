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

const failedOf = ({ sent }: Missing) => sent.filter(({ state }) => state === 'failed');

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
      chosen.push(...failedOf(item));
      if (item.sent.length === 0) made.push(...(await this.#plan(item, route, owners, now)));
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
        count += failedOf(item).length;
        if (item.sent.length === 0) count += (await this.#plan(item, route, owners, 0)).length;
      }
      afterId = page.afterId;
    }
    return count;
  }

  #routeOf({ filter }: Pick<Scope, 'filter'>, destination: Destination): Route {
    const route = routeOf(destination);
    return { ...route, filter: bothOf(route.filter, compiledFilter(filter)) };
  }

  async #plan(
    { submission }: Missing,
    route: Route,
    owners: Map<string, FormAndProject | null>,
    now: number,
  ): Promise<readonly Delivery[]> {
    const { store, planning } = this.deps;
    const { formId, files } = submission;
    if (!owners.has(formId)) owners.set(formId, await store.forms.findWithProject(formId));
    const owner = owners.get(formId);
    if (!owner) return [];
    const routes = { all: [route], notifications: builtInEmail(owner.form, null), reply: null };
    const { deliveries } = planDeliveries({ ...owner, submission, files }, routes, planning, [], now);
    return deliveries.map((delivery) => sentNow(delivery, asReplay, now));
  }
}
