/**
 * How sending to each destination goes. Kept in memory and written a moment later, all changes together: an update for each
 * attempt would cost deliveries a fifth of their rate. A crash loses a second of it.
 */
import type { Delivery } from '../../model/delivery.js';
import { ownerOfBuiltIn } from '../../model/destination.js';
import type { DestinationStore, HealthChange } from '../../ports/destinations.js';
import type { Signals } from '../../ports/signals.js';
import type { Attempted } from './attempt.js';

export const writeHealthEveryMs = 1_000;
/** When something last arrived at a destination that works is known to the minute. */
const successEveryMs = 60_000;
const maxRemembered = 10_000;

interface Pending {
  readonly of: Pick<HealthChange, 'destinationId' | 'kind' | 'target' | 'formId' | 'projectId'>;
  succeededAt: number | null;
  failures: number;
  firstFailedAt: number | null;
  lastError: string | null;
  isGone: boolean;
}

export class HealthLog {
  #pending = new Map<string, Pending>();
  /** When the last success of a destination without failures was written. */
  readonly #written = new Map<string, number>();

  constructor(
    private readonly deps: { readonly destinations: DestinationStore; readonly signals: Signals },
  ) {}

  attempted(delivery: Delivery, { end, attempt }: Attempted): void {
    if (end === 'cancelled') return;
    const { at, error } = attempt;
    const { destinationId } = delivery;
    const known = this.#pending.get(destinationId);
    const isWell = end === 'succeeded';
    if (isWell && !known && at - (this.#written.get(destinationId) ?? 0) < successEveryMs) return;
    const pending = known ?? nothing(delivery);
    this.#pending.set(destinationId, pending);
    if (isWell) {
      Object.assign(pending, { succeededAt: at, failures: 0, firstFailedAt: null, lastError: null });
      return;
    }
    this.#written.delete(destinationId);
    pending.failures += 1;
    pending.firstFailedAt ??= at;
    pending.lastError = error;
    // What its owner set in `webhook_url` is theirs to take back.
    pending.isGone ||= end === 'gone' && !isBuiltIn(delivery);
  }

  async write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const { destinations, signals } = this.deps;
    const written = this.#pending;
    this.#pending = new Map();
    const changes = Array.from(written.values(), changeOf);
    await destinations.recordHealth(changes);
    if (this.#written.size > maxRemembered) this.#written.clear();
    for (const { destinationId, failures, succeededAt } of changes) {
      if (failures === 0 && succeededAt !== null) this.#written.set(destinationId, succeededAt);
    }
    for (const { of, isGone, firstFailedAt } of written.values()) {
      if (!isGone || firstFailedAt === null) continue;
      if (await destinations.disable(of.destinationId, firstFailedAt))
        signals.publish({ kind: 'intake-changed' });
    }
  }
}

const isBuiltIn = ({ destinationId }: Delivery): boolean => ownerOfBuiltIn(destinationId) !== null;

const nothing = ({ destinationId, kind, target, formId, projectId }: Delivery): Pending => ({
  of: { destinationId, kind, target, formId, projectId },
  succeededAt: null,
  failures: 0,
  firstFailedAt: null,
  lastError: null,
  isGone: false,
});

const changeOf = ({ of, succeededAt, failures, firstFailedAt, lastError }: Pending): HealthChange => ({
  ...of,
  succeededAt,
  failures,
  firstFailedAt,
  lastError,
});
