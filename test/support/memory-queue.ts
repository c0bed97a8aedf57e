/**
 * The queue of deliveries in memory, for simulations. It passes the contract that the database passes
 * (`test/contracts/store/queue.ts`), so that what is proven over it holds for the real one.
 */
import type {
  Attempt,
  Delivery,
  DeliveryTrigger,
  DeliveryWithAttempts,
  Queue,
  WebhookState,
} from '../../src/model/delivery.js';
import { webhookStateOf } from '../../src/model/delivery.js';
import type {
  DeliveryQueue,
  PullBack,
  PulledBack,
  QueueFinds,
  QueueHead,
  QueuePick,
  QueuePlace,
  QueueTurn,
  TurnOutcome,
} from '../../src/ports/delivery-queue.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface MemoryRow extends Mutable<Omit<Delivery, 'isInFlight'>> {
  leaseToken: string | null;
  leaseOwner: string | null;
  reclaims: number;
  readonly attempts: Attempt[];
}

const suspectAfter = 5;
const suspectDelayMs = 60_000;
const pullBackRows = 500;

const byDue = (a: MemoryRow, b: MemoryRow): number =>
  (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0) || (a.id < b.id ? -1 : 1);

type Place = Pick<MemoryRow, 'url' | 'queue' | 'nextAttemptAt' | 'id'>;

const rowAt = ({ url, queue, dueAt, id }: QueuePlace): Place => ({ url, queue, nextAttemptAt: dueAt, id });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byPlace = (a: Place, b: Place): number =>
  compare(a.url, b.url) ||
  a.queue - b.queue ||
  (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0) ||
  compare(a.id, b.id);

const toDelivery = ({ leaseToken, leaseOwner, reclaims, attempts, ...row }: MemoryRow): Delivery => ({
  ...row,
  isInFlight: leaseToken !== null,
});

export class MemoryQueue implements DeliveryQueue {
  readonly rows = new Map<string, MemoryRow>();
  readonly submissionStates = new Map<string, WebhookState | null>();

  add(deliveries: readonly Delivery[]): void {
    for (const { isInFlight: _, ...delivery } of deliveries) {
      this.rows.set(delivery.id, {
        ...delivery,
        leaseToken: null,
        leaseOwner: null,
        reclaims: 0,
        attempts: [],
      });
    }
    for (const { submissionId } of deliveries) this.#judge(submissionId);
  }

  /** As the store's `deliveries.resend`. */
  resend(
    { id, url, trigger, queue }: { id: string; url: string; trigger: DeliveryTrigger; queue: Queue },
    now: number,
  ): boolean {
    const row = this.rows.get(id);
    if (!row || (row.leaseToken !== null && (row.nextAttemptAt ?? 0) > now)) return false;
    Object.assign(row, { url, trigger, queue, state: 'pending', nextAttemptAt: now });
    Object.assign(row, { leaseToken: null, leaseOwner: null });
    this.#judge(row.submissionId);
    return true;
  }

  read(id: string): DeliveryWithAttempts | null {
    const row = this.rows.get(id);
    return row ? { ...toDelivery(row), attempts: [...row.attempts] } : null;
  }

  async heads(): Promise<readonly QueueHead[]> {
    const heads = new Map<string, QueueHead>();
    for (const { state, url, queue, nextAttemptAt } of this.rows.values()) {
      if (state !== 'pending' || nextAttemptAt === null) continue;
      const known = heads.get(`${queue} ${url}`);
      if (!known || known.dueAt > nextAttemptAt) {
        heads.set(`${queue} ${url}`, { url, queue, dueAt: nextAttemptAt });
      }
    }
    return [...heads.values()];
  }

  /** Whether the token is the row's. */
  protected holds(row: MemoryRow, token: string): boolean {
    return row.leaseToken === token;
  }

  protected mayClaim(row: MemoryRow, now: number): boolean {
    return row.nextAttemptAt !== null && row.nextAttemptAt <= now;
  }

  /** Which of two goes first. */
  protected compare(a: MemoryRow, b: MemoryRow): number {
    return byDue(a, b);
  }

  #claim({ url, queue, limit }: QueuePick, { lease, now }: QueueTurn): QueueFinds {
    const line = [...this.rows.values()]
      .filter((row) => row.state === 'pending' && row.url === url && row.queue === queue)
      .sort((a, b) => this.compare(a, b));
    const claimed = line.filter((row) => this.mayClaim(row, now)).slice(0, limit);
    const due = claimed.map(toDelivery);
    for (const row of claimed) {
      if (row.leaseToken !== null) row.reclaims += 1;
      Object.assign(row, { leaseToken: lease.token, leaseOwner: lease.owner, nextAttemptAt: lease.until });
    }
    const [first] = line.sort(byDue);
    return { due, nextDueAt: first?.nextAttemptAt ?? null };
  }

  async turn(turn: QueueTurn): Promise<TurnOutcome> {
    const { records, releases, picks } = turn;
    const lost: string[] = [];
    for (const { deliveryId, token, settled, attempt } of records) {
      const row = this.rows.get(deliveryId);
      if (!row || !this.holds(row, token)) {
        lost.push(deliveryId);
        continue;
      }
      if (!row.attempts.some(({ number }) => number === attempt.number)) row.attempts.push(attempt);
      Object.assign(row, settled, { attempt: attempt.number, trigger: 'auto', reclaims: 0 });
      Object.assign(row, { leaseToken: null, leaseOwner: null });
    }
    for (const { deliveryId, token, nextAttemptAt } of releases) {
      const row = this.rows.get(deliveryId);
      if (row && this.holds(row, token)) {
        Object.assign(row, { nextAttemptAt, leaseToken: null, leaseOwner: null });
      } else {
        lost.push(deliveryId);
      }
    }
    for (const { url, queue, token, until } of turn.unheard) {
      for (const row of this.rows.values()) {
        const isIt = row.url === url && row.queue === queue && row.nextAttemptAt === until;
        if (isIt && row.leaseToken === token && row.state === 'pending') row.nextAttemptAt = turn.now;
      }
    }
    const found = picks.map((pick) => this.#claim(pick, turn));
    for (const { submissionId } of records) this.#judge(submissionId);
    return { found, lost };
  }

  async recover(owner: string | null, now: number): Promise<number> {
    let freed = 0;
    for (const row of this.rows.values()) {
      if (row.leaseOwner === null || (owner !== null && row.leaseOwner !== owner)) continue;
      const nextAttemptAt = row.reclaims >= suspectAfter ? now + suspectDelayMs : now;
      Object.assign(row, { nextAttemptAt, leaseToken: null, leaseOwner: null, reclaims: row.reclaims + 1 });
      freed += 1;
    }
    return freed;
  }

  async pullBack({ rules, after }: PullBack): Promise<PulledBack> {
    const waiting = [...this.rows.values()].filter((row) => row.state === 'pending').sort(byPlace);
    const ahead = after ? waiting.filter((row) => byPlace(row, rowAt(after)) > 0) : waiting;
    const step = ahead.slice(0, pullBackRows);
    const last = step.at(-1);
    const next =
      last && step.length === pullBackRows
        ? { url: last.url, queue: last.queue, dueAt: last.nextAttemptAt ?? 0, id: last.id }
        : null;
    let pulled = 0;
    for (const row of step) {
      const rule = row.leaseToken === null ? rules[row.attempt] : undefined;
      if (!rule || (row.nextAttemptAt ?? 0) <= rule.laterThan) continue;
      row.nextAttemptAt = rule.dueAt;
      pulled += 1;
    }
    return { pulled, next };
  }

  #judge(submissionId: string): void {
    const states = [...this.rows.values()]
      .filter((row) => row.submissionId === submissionId)
      .map(({ state }) => state);
    this.submissionStates.set(submissionId, webhookStateOf(states));
  }
}
