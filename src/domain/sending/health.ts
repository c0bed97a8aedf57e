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
/** The last success of a healthy destination is known to the minute. */
const successEveryMs = 60_000;
const maxRemembered = 10_000;

type Pending = { -readonly [Field in keyof HealthChange]: HealthChange[Field] } & { isGone: boolean };

export class HealthLog {
  readonly #pending = new Map<string, Pending>();
  /** When the last success of a destination without failures was written. */
  readonly #written = new Map<string, number>();

  constructor(
    private readonly deps: { readonly destinations: DestinationStore; readonly signals: Signals },
  ) {}

  attempted(delivery: Delivery, { end, attempt }: Attempted): void {
    if (end === 'cancelled' || end === 'suppressed' || isToVisitor(delivery)) return;
    const { at, error } = attempt;
    const { destinationId } = delivery;
    const known = this.#pending.get(destinationId);
    const isWell = end === 'succeeded';
    if (isWell && !known && at - (this.#written.get(destinationId) ?? 0) < successEveryMs) return;
    const pending = known ?? nothing(delivery);
    this.#pending.set(destinationId, pending);
    if (isWell) {
      Object.assign(pending, noFailures, { succeededAt: at });
      return;
    }
    this.#written.delete(destinationId);
    pending.failures += 1;
    pending.firstFailedAt ??= at;
    pending.lastFailedAt = at;
    pending.lastError = error;
    // A built-in webhook comes from `webhook_url`, which only its owner may remove.
    pending.isGone ||= end === 'gone' && !isBuiltIn(delivery);
  }

  async write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const { destinations, signals } = this.deps;
    const changes = [...this.#pending.values()];
    this.#pending.clear();
    await destinations.recordHealth(changes);
    if (this.#written.size > maxRemembered) this.#written.clear();
    for (const { destinationId, failures, succeededAt, isGone, firstFailedAt } of changes) {
      if (failures === 0 && succeededAt !== null) this.#written.set(destinationId, succeededAt);
      if (!isGone || firstFailedAt === null) continue;
      if (await destinations.disable(destinationId, firstFailedAt))
        signals.publish({ kind: 'intake-changed' });
    }
  }
}

const isToVisitor = ({ destinationId }: Delivery): boolean => purposeOf(destinationId) !== 'notification';

const isBuiltIn = ({ destinationId }: Delivery): boolean => ownerOfBuiltIn(destinationId) !== null;

const noFailures = { failures: 0, firstFailedAt: null, lastFailedAt: null, lastError: null };

const nothing = ({ destinationId, kind, target, formId, projectId }: Delivery): Pending => ({
  destinationId,
  kind,
  target,
  formId,
  projectId,
  succeededAt: null,
  ...noFailures,
  isGone: false,
});
