/**
 * The health of each destination. Changes are collected in memory and written together once a second: an update per attempt
 * would cost a fifth of the delivery rate. A crash loses a second of changes.
 */
import type { Delivery } from '../../model/delivery.js';
import { ownerOfBuiltIn, purposeOf } from '../../model/destination.js';
import type { DestinationStore, HealthChange } from '../../ports/destinations.js';
import type { Signals } from '../../ports/signals.js';
import type { Attempted } from './attempt.js';

export const writeHealthEveryMs = 1_000;

interface Change extends HealthChange {
  readonly isGone: boolean;
}

export class HealthLog {
  readonly #pending = new Map<string, Change>();

  constructor(
    private readonly deps: { readonly destinations: DestinationStore; readonly signals: Signals },
  ) {}

  attempted(delivery: Delivery, { end, attempt }: Attempted): void {
    if (end === 'cancelled' || end === 'suppressed' || isToVisitor(delivery)) return;
    const { at, error } = attempt;
    const { destinationId, kind, target, formId, projectId } = delivery;
    const of = { destinationId, kind, target, formId, projectId };
    if (end === 'succeeded') {
      this.#pending.set(destinationId, { ...of, ...noFailures, succeededAt: at });
      return;
    }
    const failure = { failures: 1, firstFailedAt: at, lastFailedAt: at, lastError: error };
    // A built-in webhook comes from `webhook_url`, which only its owner may remove.
    const isGone = end === 'gone' && !isBuiltIn(delivery);
    const change = { ...of, ...failure, succeededAt: null, isGone };
    this.#pending.set(destinationId, followed(this.#pending.get(destinationId), change));
  }

  async write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const { destinations, signals } = this.deps;
    const changes = [...this.#pending.values()];
    this.#pending.clear();
    try {
      await destinations.recordHealth(changes);
    } catch (error) {
      // The next write tries again. Attempts may have ended meanwhile.
      for (const change of changes) {
        const newer = this.#pending.get(change.destinationId);
        this.#pending.set(change.destinationId, newer ? followed(change, newer) : change);
      }
      throw error;
    }
    for (const { destinationId, isGone, firstFailedAt } of changes) {
      if (!isGone || firstFailedAt === null) continue;
      if (await destinations.disable(destinationId, firstFailedAt))
        signals.publish({ kind: 'intake-changed' });
    }
  }
}

const isToVisitor = ({ destinationId }: Delivery): boolean => purposeOf(destinationId) !== 'notification';

const isBuiltIn = ({ destinationId }: Delivery): boolean => ownerOfBuiltIn(destinationId) !== null;

const noFailures = {
  failures: 0,
  firstFailedAt: null,
  lastFailedAt: null,
  lastError: null,
  isGone: false,
};

/** Both changes as one. A success makes the failures before it irrelevant. */
function followed(older: Change | undefined, newer: Change): Change {
  if (!older || newer.succeededAt !== null) return newer;
  return {
    ...newer,
    succeededAt: older.succeededAt,
    failures: older.failures + newer.failures,
    firstFailedAt: older.firstFailedAt ?? newer.firstFailedAt,
    isGone: older.isGone || newer.isGone,
  };
}
