/**
 * The delivery queue in memory, for simulations. It passes the same contract as the database (`test/contracts/store/queue.ts`), so what is
 * proven with it holds for the real one.
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
  CycleOutcome,
  DeliveryQueue,
  PullBack,
  QueueCycle,
  QueueFinds,
  QueueHead,
  QueuePick,
  QueuePlace,
  WaitingPage,
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
const waitingRows = 500;

const byDue = (a: MemoryRow, b: MemoryRow): number =>
  (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0) || (a.id < b.id ? -1 : 1);

type Place = Pick<MemoryRow, 'lane' | 'queue' | 'nextAttemptAt' | 'id'>;

const rowAt = ({ lane, queue, dueAt, id }: QueuePlace): Place => ({ lane, queue, nextAttemptAt: dueAt, id });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byPlace = (a: Place, b: Place): number =>
  compare(a.lane, b.lane) ||
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

  /** Like the store's `deliveries.resend`. */
  resend(
    { id, url, trigger, queue }: { id: string; url: string; trigger: DeliveryTrigger; queue: Queue },
    now: number,
  ): boolean {
    const row = this.rows.get(id);
    if (!row || (row.leaseToken !== null && (row.nextAttemptAt ?? 0) > now)) return false;
    // One that waits for its schedule resumes it afterwards.
    if (row.state === 'pending' && row.trigger === 'auto') row.resumeAt = row.nextAttemptAt;
    Object.assign(row, { url, trigger, queue, state: 'pending', nextAttemptAt: now });
    Object.assign(row, { leaseToken: null, leaseOwner: null, reclaims: 0 });
    this.#judge(row.submissionId);
    return true;
  }

  read(id: string): DeliveryWithAttempts | null {
    const row = this.rows.get(id);
    return row ? { ...toDelivery(row), attempts: [...row.attempts] } : null;
  }

  async heads(): Promise<readonly QueueHead[]> {
    const heads = new Map<string, QueueHead>();
    for (const { state, lane, queue, nextAttemptAt } of this.rows.values()) {
      if (state !== 'pending' || nextAttemptAt === null) continue;
      const known = heads.get(`${queue} ${lane}`);
      if (!known || known.dueAt > nextAttemptAt) {
        heads.set(`${queue} ${lane}`, { lane, queue, dueAt: nextAttemptAt });
      }
    }
    return [...heads.values()];
  }

  /** Whether the row has this token. */
  protected holds(row: MemoryRow, token: string): boolean {
    return row.leaseToken === token;
  }

  protected mayClaim(row: MemoryRow, now: number): boolean {
    return row.nextAttemptAt !== null && row.nextAttemptAt <= now;
  }

  /** Which of two rows goes first. */
  protected compare(a: MemoryRow, b: MemoryRow): number {
    return byDue(a, b);
  }

  #claim({ lane, queue, limit }: QueuePick, { lease, now }: QueueCycle): QueueFinds {
    const waiting = [...this.rows.values()]
      .filter((row) => row.state === 'pending' && row.lane === lane && row.queue === queue)
      .sort((a, b) => this.compare(a, b));
    const claimed = waiting.filter((row) => this.mayClaim(row, now)).slice(0, limit);
    const due = claimed.map((row) => ({
      ...toDelivery(row),
      isInFlight: row.leaseToken !== null || row.reclaims > 0,
    }));
    for (const row of claimed) {
      if (row.leaseToken !== null) row.reclaims += 1;
      Object.assign(row, { leaseToken: lease.token, leaseOwner: lease.owner, nextAttemptAt: lease.until });
    }
    const [first] = waiting.sort(byDue);
    return { due, nextDueAt: first?.nextAttemptAt ?? null };
  }

  async runCycle(cycle: QueueCycle): Promise<CycleOutcome> {
    const { records, releases, picks } = cycle;
    const lost: string[] = [];
    for (const { deliveryId, token, settled, url, attempt } of records) {
      const row = this.rows.get(deliveryId);
      if (!row || !this.holds(row, token)) {
        lost.push(deliveryId);
        continue;
      }
      if (!row.attempts.some(({ number }) => number === attempt.number)) row.attempts.push(attempt);
      Object.assign(row, settled, { url, attempt: attempt.number, trigger: 'auto', reclaims: 0 });
      Object.assign(row, { leaseToken: null, leaseOwner: null });
    }
    for (const { deliveryId, token, nextAttemptAt, isCutOff } of releases) {
      const row = this.rows.get(deliveryId);
      if (row && this.holds(row, token)) {
        const reclaims = Math.max(row.reclaims, isCutOff ? 1 : 0);
        Object.assign(row, { nextAttemptAt, leaseToken: null, leaseOwner: null, reclaims });
      } else {
        lost.push(deliveryId);
      }
    }
    for (const { lane, queue, token, until } of cycle.unconfirmed) {
      for (const row of this.rows.values()) {
        const isIt = row.lane === lane && row.queue === queue && row.nextAttemptAt === until;
        if (isIt && row.leaseToken === token && row.state === 'pending') row.nextAttemptAt = cycle.now;
      }
    }
    const found = picks.map((pick) => this.#claim(pick, cycle));
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

  /** There is no earlier release here. */
  async takeIn(_now: number): Promise<number> {
    return 0;
  }

  async listWaiting(after: QueuePlace | null): Promise<WaitingPage> {
    const pending = [...this.rows.values()].filter((row) => row.state === 'pending').sort(byPlace);
    const ahead = after ? pending.filter((row) => byPlace(row, rowAt(after)) > 0) : pending;
    const page = ahead.slice(0, waitingRows);
    const last = page.at(-1);
    return {
      waiting: page
        .filter((row) => row.leaseToken === null)
        .map((row) => ({ ...toDelivery(row), dueAt: row.nextAttemptAt ?? 0 })),
      next:
        last && page.length === waitingRows
          ? { lane: last.lane, queue: last.queue, dueAt: last.nextAttemptAt ?? 0, id: last.id }
          : null,
    };
  }

  async pullBack(rows: readonly PullBack[]): Promise<number> {
    let pulled = 0;
    for (const { seen, dueAt } of rows) {
      const row = this.rows.get(seen.id);
      if (row?.state !== 'pending' || row.leaseToken !== null) continue;
      if (row.attempt !== seen.attempt || row.nextAttemptAt !== seen.dueAt) continue;
      row.nextAttemptAt = dueAt;
      pulled += 1;
    }
    return pulled;
  }

  #judge(submissionId: string): void {
    const states = [...this.rows.values()]
      .filter((row) => row.submissionId === submissionId)
      .map(({ state }) => state);
    this.submissionStates.set(submissionId, webhookStateOf(states));
  }
}
