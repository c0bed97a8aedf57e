/**
 * Runs the real dispatcher through the plan of one seed, and returns everything that was wrong. The oracle is outside: it sees what
 * endpoints were sent and what is in the queue, and knows the true time.
 */
import type { Delivery } from '../../src/model/delivery.js';
import { laneOf, queues } from '../../src/model/delivery.js';
import type { DeliveryQueue, QueueCycle, QueueFinds, QueuePick } from '../../src/ports/delivery-queue.js';
import type { OutboundRequest, OutboundResult } from '../../src/ports/outbound.js';
import { MemoryQueue } from '../support/memory-queue.js';
import { type Chance, seeded } from '../support/seeded.js';
import { VirtualTime } from '../support/virtual-time.js';
import { type Plan, planEarlyEnds, planIsolation, planSetBack, planTroubles } from './plan.js';
import { SimulatedProcess } from './process.js';

/** Replaces a part, to prove that the simulation notices a broken one. */
export interface Parts {
  readonly makeQueue?: () => MemoryQueue;
  readonly wrapQueue?: (queue: DeliveryQueue) => DeliveryQueue;
  readonly delaysOf?: (delays: readonly number[]) => readonly number[];
  readonly limitsOf?: (limits: Plan['limits']) => Plan['limits'];
}

interface Send {
  readonly deliveryId: string;
  readonly url: string;
  readonly process: SimulatedProcess;
  readonly startedAt: number;
  /** On a scale that only moves forward: true time plus everything the clock was set forward. */
  endedAt: number | null;
  /** The delay that its endpoint asked for. */
  readonly retryAfterMs: number;
}

interface Arrived {
  readonly id: string;
  readonly url: string;
  readonly at: number;
  firstAttemptAt: number | null;
  resentAt: number | null;
  sends: number;
}

/** Each URL is its own destination. */
const laneAt = (url: string): string => laneOf(new URL(url).origin, url);

const epoch = Date.UTC(2031, 0, 1);
/** Only a lost wake-up may cost more: until the next look at the queue, which comes every two seconds. */
const promptMs = 500;
/** After the last fault: longer than the longest pause of the dispatcher after a failure, shorter than any lease. */
const idleLookMs = 15_000;

class Simulation {
  readonly faults: string[] = [];
  readonly #time: VirtualTime;
  readonly #queue: MemoryQueue;
  readonly #worked: DeliveryQueue;
  readonly #plan: Plan;
  readonly #arrived: Arrived[] = [];
  readonly #byId = new Map<string, Arrived>();
  readonly #sends = new Map<string, Send>();
  readonly #underWay = new Set<Send>();
  readonly #attempting = new Map<SimulatedProcess, Set<string>>();
  readonly #processes: SimulatedProcess[] = [];
  readonly #pulledBack = new Set<string>();
  #clockAhead = 0;
  #setForward = 0;
  #owners = 0;
  #lost = 0;

  constructor(
    private readonly chance: Chance,
    plan: Plan,
    private readonly parts: Parts,
  ) {
    this.#plan = plan;
    this.#time = new VirtualTime(chance);
    this.#queue = parts.makeQueue?.() ?? new MemoryQueue();
    const watched = this.#watched(this.#queue);
    this.#worked = parts.wrapQueue?.(watched) ?? watched;
  }

  async run(): Promise<readonly string[]> {
    const { plan, time } = { plan: this.#plan, time: this.#time };
    for (let i = 0; i < plan.processes; i += 1) this.#start(i);
    for (const [i, arrival] of plan.arrivals.entries()) time.after(arrival.at, () => this.#arrive(i));
    for (const { at, arrival, trigger } of plan.resends) time.after(at, () => this.#resend(arrival, trigger));
    for (const crash of plan.crashes) time.after(crash.at, () => this.#crash(crash));
    for (const { at, process, ms } of plan.freezes) {
      time.after(at, () => this.#processes[process]?.freeze(ms));
    }
    for (const { at, ms } of plan.clockSteps) {
      time.after(at, () => {
        this.#clockAhead += ms;
        this.#setForward += Math.max(0, ms);
      });
    }
    if (this.#isUndisturbed()) time.after(plan.calmAt + idleLookMs, () => this.#judgeForgotten());
    if (plan.isAboutIsolation) {
      await time.run(plan.calmAt, () => false);
      this.#judgeIsolation();
    } else {
      const isSettled = await time.run(this.#latestEnd(), () => this.#isSettled());
      if (!isSettled) this.#judgeUnsettled();
      this.#judgeEnd();
    }
    return this.faults;
  }

  #now = (): number => epoch + this.#time.now + this.#clockAhead;

  #fault(text: string): void {
    if (this.faults.length < 20) this.faults.push(`${this.#time.now} ms: ${text}`);
  }

  #start(index: number): void {
    this.#owners += 1;
    const plan = this.#plan;
    const process = new SimulatedProcess(
      {
        time: this.#time,
        clock: { now: this.#now },
        chance: this.chance,
        queue: this.#worked,
        troubles: () => (this.#time.now < plan.calmAt ? plan.troubles : null),
        delays: this.parts.delaysOf?.(plan.delays) ?? plan.delays,
        limits: this.parts.limitsOf?.(plan.limits) ?? plan.limits,
        leaseMs: plan.leaseMs,
        deadlineMs: plan.deadlineMs,
        onAttempt: (of, delivery) => this.#judgeAttempt(of, delivery),
        receive: (of, request) => this.#receive(of, request),
        onReceiveEnd: (_, __, { response }) => this.#sendEnded(response ?? ''),
        onLost: (ids) => {
          this.#lost += ids.length;
        },
      },
      `process ${this.#owners}`,
    );
    this.#processes[index] = process;
    this.#attempting.set(process, new Set());
    process.dispatcher.start();
  }

  #crash({ process: index, downMs, isNoticed }: Plan['crashes'][number]): void {
    const process = this.#processes[index];
    if (!process || process.isDead) return;
    process.isDead = true;
    for (const send of this.#underWay) if (send.process === process) this.#underWay.delete(send);
    this.#time.after(downMs, () => {
      // A single process has the lock, so all leases belong to dead ones. Next to another process it may only free its own.
      if (this.#plan.processes === 1) void this.#queue.recover(null, this.#now());
      else if (isNoticed) void this.#queue.recover(process.owner, this.#now());
      this.#start(index);
    });
  }

  #arrive(index: number): void {
    const { url, isWakeLost } = this.#plan.arrivals[index] ?? { url: '', isWakeLost: true };
    const id = `delivery ${String(index).padStart(4, '0')}`;
    const now = this.#now();
    const arrived: Arrived = { id, url, at: this.#time.now, firstAttemptAt: null, resentAt: null, sends: 0 };
    this.#arrived[index] = arrived;
    this.#byId.set(id, arrived);
    this.#queue.add([
      {
        id,
        submissionId: `submission ${index}`,
        formId: 'form',
        projectId: 'project',
        destinationId: url,
        kind: 'webhook',
        target: 'form',
        lane: laneAt(url),
        url,
        body: `{"n":${index}}`,
        state: 'pending',
        attempt: 0,
        extraAttempts: 0,
        resumeAt: null,
        trigger: 'auto',
        queue: queues.first,
        nextAttemptAt: now,
        heldUntil: null,
        isInFlight: false,
        createdAt: now,
      },
    ]);
    if (!isWakeLost) this.#wake([laneAt(url)]);
  }

  #wake(lanes: readonly string[]): void {
    for (const process of this.#processes) process.wake(lanes);
  }

  #resend(index: number, trigger: 'auto' | 'manual' | 'replay'): void {
    const arrived = this.#arrived[index];
    if (!arrived) return;
    const queue = trigger === 'manual' ? queues.manual : queues.replay;
    if (!this.#queue.resend({ id: arrived.id, url: arrived.url, trigger, queue }, this.#now())) return;
    arrived.resentAt = this.#time.now;
    this.#wake([]);
  }

  #receive(process: SimulatedProcess, { url, headers }: OutboundRequest): OutboundResult {
    const deliveryId = headers['webhook-id'] ?? '';
    const arrived = this.#byId.get(deliveryId);
    const receiver = this.#plan.receivers.find((one) => one.url === url);
    if (!arrived || !receiver) throw new Error(`Sent what never came: ${deliveryId} to ${url}`);
    arrived.sends += 1;
    arrived.firstAttemptAt ??= this.#time.now;
    const marker = `send ${this.#sends.size + 1}`;
    const { status, fault, afterMs, retryAfterS } = receiver.answer(this.#time.now);
    const send: Send = {
      deliveryId,
      url,
      process,
      startedAt: this.#time.now,
      endedAt: null,
      retryAfterMs: (retryAfterS ?? 0) * 1_000,
    };
    this.#sends.set(marker, send);
    this.#underWay.add(send);
    this.#judgeCrowding(process, url);
    return {
      status,
      fault,
      detail: null,
      retryAfter: retryAfterS === null ? null : `${retryAfterS}`,
      responseHeaders: null,
      response: marker,
      remoteAddress: null,
      timings: { dnsMs: null, connectMs: null, firstByteMs: null, totalMs: afterMs },
    };
  }

  #sendEnded(marker: string): void {
    const send = this.#sends.get(marker);
    if (!send) return;
    send.endedAt = this.#time.now + this.#setForward;
    this.#underWay.delete(send);
    this.#attempting.get(send.process)?.delete(send.deliveryId);
  }

  #judgeCrowding(process: SimulatedProcess, url: string): void {
    const { total, perDestination, perOrigin } = this.#plan.limits;
    const own = [...this.#underWay].filter((send) => send.process === process);
    const toReceiver = own.filter((send) => send.url === url).length;
    const toOrigin = own.filter((send) => new URL(send.url).origin === new URL(url).origin).length;
    if (own.length > total) this.#fault(`${own.length} sends at once`);
    if (toReceiver > perDestination) this.#fault(`${toReceiver} sends at once to ${url}`);
    if (toOrigin > perOrigin) this.#fault(`${toOrigin} sends at once to the origin of ${url}`);
  }

  #judgeAttempt(process: SimulatedProcess, delivery: Delivery): void {
    const row = this.#queue.rows.get(delivery.id);
    if (!row) throw new Error(`${delivery.id} is attempted and was never there`);
    const wasPulledBack = this.#pulledBack.has(delivery.id);
    // If the clock is set back while two processes claim, either may find the other's lease expired.
    const isClockSetBack = this.#clockAhead < this.#setForward;
    if (row.leaseOwner !== process.owner && !(isClockSetBack && this.#plan.processes === 2)) {
      this.#fault(`${process.owner} attempts ${delivery.id}, which is leased by ${row.leaseOwner}`);
    } else if (
      row.leaseOwner === process.owner &&
      (row.nextAttemptAt ?? 0) <= this.#now() &&
      !wasPulledBack
    ) {
      this.#fault(`${process.owner} attempts ${delivery.id} after its lease has ended`);
    }
    const isTwice = [...this.#underWay].some(
      (send) => send.process === process && send.deliveryId === delivery.id,
    );
    if (isTwice) this.#fault(`${process.owner} sends ${delivery.id} twice at once`);
    if (delivery.trigger === 'auto') this.#judgeSchedule(delivery, wasPulledBack);
  }

  /** Requested attempts are not part of the schedule, but a Retry-After that they got counts too. */
  #judgeSchedule({ id, attempt, extraAttempts }: Delivery, wasPulledBack: boolean): void {
    const attempts = this.#queue.rows.get(id)?.attempts ?? [];
    const sendOf = (response: string | null | undefined): Send | undefined => this.#sends.get(response ?? '');
    const last = sendOf(attempts.find(({ number }) => number === attempt)?.response);
    const step = attempt - extraAttempts;
    const before = sendOf(attempts.filter(({ trigger }) => trigger === 'auto').at(-1)?.response);
    if (attempt > 0 && last?.endedAt == null) {
      this.#fault(`attempt ${attempt + 1} of ${id} follows one that is not recorded`);
      return;
    }
    const now = this.#time.now + this.#setForward;
    const waits: readonly (readonly [number | null | undefined, number])[] = [
      [step === 0 ? null : before?.endedAt, this.#plan.delays[step - 1] ?? Number.POSITIVE_INFINITY],
      [before?.endedAt, before?.retryAfterMs ?? 0],
      [last?.endedAt, last?.retryAfterMs ?? 0],
    ];
    for (const [endedAt, due] of waits) {
      if (endedAt == null || now - endedAt >= due || wasPulledBack) continue;
      this.#fault(`attempt ${attempt + 1} of ${id} comes after ${now - endedAt} ms instead of ${due}`);
    }
  }

  #watched(queue: MemoryQueue): DeliveryQueue {
    return {
      heads: () => queue.heads(),
      runCycle: async (cycle) => {
        const outcome = await queue.runCycle(cycle);
        for (const [index, pick] of cycle.picks.entries())
          this.#judgeClaims(pick, cycle, outcome.found[index]);
        return outcome;
      },
      recover: (owner, now) => queue.recover(owner, now),
      takeIn: (now) => queue.takeIn(now),
      listWaiting: (after) => queue.listWaiting(after),
      pullBack: (rows) => {
        for (const { seen } of rows) this.#pulledBack.add(seen.id);
        return queue.pullBack(rows);
      },
    };
  }

  /** Nothing is overtaken in a lane: no waiting row by claimed ones, and no claimed row by another. */
  #judgeClaims({ lane, queue }: QueuePick, { lease, now }: QueueCycle, found: QueueFinds | undefined): void {
    let before: Delivery | null = null;
    for (const delivery of found?.due ?? []) {
      const dueAt = delivery.nextAttemptAt ?? 0;
      if (dueAt > now) this.#fault(`${delivery.id} is claimed ${dueAt - now} ms before it is due`);
      if (before && (before.nextAttemptAt ?? 0) > dueAt)
        this.#fault(`${delivery.id} goes after ${before.id}`);
      before = delivery;
    }
    const last = before?.nextAttemptAt ?? null;
    for (const row of this.#queue.rows.values()) {
      if (row.state !== 'pending' || row.lane !== lane || row.queue !== queue) continue;
      if (last !== null && row.leaseToken !== lease.token && (row.nextAttemptAt ?? 0) < last) {
        this.#fault(`${row.id} is overtaken by ${before?.id}`);
      }
    }
  }

  #isSettled(): boolean {
    if (this.#time.now < this.#plan.calmAt || this.#underWay.size > 0) return false;
    for (const { state, leaseToken } of this.#queue.rows.values()) {
      if (state === 'pending' || leaseToken !== null) return false;
    }
    return true;
  }

  /** Nothing that began before the calm can last long into it. */
  #isUndisturbed(): boolean {
    const { processes, crashes, freezes, troubles, isAboutIsolation } = this.#plan;
    const isHeldUp = isAboutIsolation || crashes.length + freezes.length > 0 || (troubles?.stall ?? 0) > 0;
    return processes === 1 && !isHeldUp;
  }

  /** Once all is calm, nothing that could be sent waits for the clock to come round again or for a lease to expire. */
  #judgeForgotten(): void {
    const healthy = this.#plan.receivers.filter(({ kind }) => kind === 'healthy').map(({ url }) => url);
    // Rows that a clock set back had made due later are a different matter: they are sent within a quarter of an hour.
    const steppedAt = Math.max(0, ...this.#plan.clockSteps.map(({ at }) => at));
    for (const { id, url, at, firstAttemptAt } of this.#arrived) {
      if (firstAttemptAt === null && at > steppedAt && healthy.includes(url))
        this.#fault(`${id} was never attempted`);
    }
    if (this.#plan.clockSteps.length === 0) this.#judgeIdleLeases();
  }

  /** The next cycle that succeeds gives up a claim whose response was lost. Nothing waits for its lease to expire. */
  #judgeIdleLeases(): void {
    const idle = (): Map<string, string> => {
      const sent = new Set([...this.#underWay].map(({ deliveryId }) => deliveryId));
      const rows = [...this.#queue.rows.values()].filter(
        ({ id, leaseToken, nextAttemptAt }) =>
          leaseToken !== null && (nextAttemptAt ?? 0) > this.#now() && !sent.has(id),
      );
      return new Map(rows.map(({ id, leaseToken }) => [id, leaseToken ?? '']));
    };
    const before = idle();
    // Checks twice, so that a row that is just being claimed or recorded does not look forgotten.
    this.#time.after(promptMs, () => {
      for (const [id, token] of idle())
        if (before.get(id) === token) this.#fault(`${id} is leased, and nobody sends it`);
    });
  }

  /** Generous: this checks that everything ends, not when. */
  #latestEnd(): number {
    const { calmAt, delays, deadlineMs, leaseMs, arrivals, clockSteps, freezes } = this.#plan;
    // A busy endpoint may ask for a minute and a half each time.
    const schedule = delays.reduce((sum, ms) => sum + Math.max(ms * 1.1, 90_000), 0);
    const setBack = clockSteps.reduce((sum, { ms }) => sum + Math.max(0, -ms), 0);
    const frozen = freezes.reduce((sum, { ms }) => sum + ms, 0);
    const sending = arrivals.length * (delays.length + 1) * deadlineMs;
    return calmAt + schedule + sending + setBack + frozen + 3 * leaseMs + 600_000;
  }

  #judgeUnsettled(): void {
    for (const { id, state, nextAttemptAt, leaseOwner } of this.#queue.rows.values()) {
      if (state !== 'pending') continue;
      const dueIn = (nextAttemptAt ?? 0) - this.#now();
      this.#fault(`${id} is still pending, due in ${dueIn} ms, leased by ${leaseOwner}`);
    }
    if (this.#underWay.size > 0) this.#fault(`${this.#underWay.size} sends never ended`);
  }

  #judgeEnd(): void {
    const { arrivals, processes, crashes, resends, troubles, delays } = this.#plan;
    if (this.#queue.rows.size !== arrivals.length) this.#fault('a delivery is gone');
    const isAlone = processes === 1 && crashes.length === 0 && resends.length === 0;
    for (const arrived of this.#arrived) {
      const row = this.#queue.rows.get(arrived.id);
      if (!row) continue;
      const { id, state, attempts, attempt } = row;
      const answers = attempts.map(({ status }) => status);
      const numbers = attempts.map(({ number }) => number);
      if (numbers.some((number, i) => number !== i + 1) || attempt !== numbers.length) {
        this.#fault(`${id} has the attempts ${numbers.join(' ')} and counts ${attempt}`);
      }
      const automatic = attempts.filter(({ trigger }) => trigger === 'auto').length;
      if (automatic > delays.length + 1) this.#fault(`${id} has ${automatic} automatic attempts`);
      if (arrived.sends < attempts.length) this.#fault(`${id} has more attempts than requests`);
      const last = attempts.at(-1);
      // Unless the response to its claim was lost: then a send in progress, which may have its token, is recorded in its place.
      if ((troubles?.lostAnswer ?? 0) === 0) this.#judgeResend(arrived, last?.response ?? '');
      const isSuccess = last?.status != null && last.status < 300;
      if (state === 'delivered' && !isSuccess)
        this.#fault(`${id} is delivered, answers ${answers.join(' ')}`);
      if (state === 'failed' && isSuccess) this.#fault(`${id} is failed, answers ${answers.join(' ')}`);
      // However many attempts were requested meanwhile, the schedule runs to its end, unless a response ended it.
      const isEnded = attempts.some(({ status }) => status === 410 || (status ?? 500) < 300);
      if (state === 'failed' && !isEnded && automatic !== delays.length + 1) {
        this.#fault(`${id} failed after ${automatic} automatic attempts`);
      }
      if (attempts.some(({ trigger }, i) => trigger === 'auto' && attempts[i - 1]?.status === 410)) {
        this.#fault(`${id} was tried again although its receiver is gone, answers ${answers.join(' ')}`);
      }
      const kind = this.#plan.receivers.find(({ url }) => url === arrived.url)?.kind;
      if (kind === 'healthy' && state !== 'delivered') this.#fault(`${id} to a healthy receiver is ${state}`);
      if (kind === 'healthy' && resends.length === 0 && attempts.length !== 1) {
        this.#fault(`${id} to a healthy receiver took ${attempts.length} attempts`);
      }
      // Only a crash, or another process, can cause a request that is not recorded.
      if (isAlone && arrived.sends !== attempts.length) {
        this.#fault(`${id} was sent ${arrived.sends} times for ${attempts.length} attempts`);
      }
    }
    if (isAlone && (troubles === null || troubles.lostAnswer === 0) && this.#lost > 0) {
      this.#fault(`${this.#lost} results came too late`);
    }
  }

  /** A requested resend makes a new send, and does not get the result of one that was in progress. */
  #judgeResend({ id, resentAt }: Arrived, lastMarker: string): void {
    const startedAt = this.#sends.get(lastMarker)?.startedAt ?? Number.NEGATIVE_INFINITY;
    if (resentAt !== null && startedAt < resentAt) this.#fault(`${id} was to be sent again and was not`);
  }

  #judgeIsolation(): void {
    const { receivers, hanging, deadlineMs } = this.#plan;
    for (const arrived of this.#arrived) {
      if (receivers.find(({ url }) => url === arrived.url)?.kind !== 'healthy') continue;
      // Until it is known which endpoints hang, they take the places of all unknown ones: once, or the first of them twice.
      const crowdedMs = hanging <= 7 ? 0 : hanging <= 24 ? deadlineMs : 2 * deadlineMs;
      const bound = promptMs + (arrived.at <= crowdedMs ? crowdedMs : 0);
      const waited = (arrived.firstAttemptAt ?? this.#time.now) - arrived.at;
      if (waited > bound) {
        this.#fault(`${arrived.id} to ${arrived.url} waited ${waited} ms beside ${hanging} that hang`);
      }
    }
  }
}

const planOf = (seed: number, chance: Chance): Plan => {
  if (seed % 10 === 0) return planIsolation(chance);
  if (seed % 10 === 5) return planEarlyEnds(chance);
  return seed % 20 === 7 ? planSetBack(chance) : planTroubles(chance);
};

/** Every tenth seed is about isolation, another tenth about leases that expire early, a twentieth about clocks set back. */
export function simulate(seed: number, parts: Parts = {}): Promise<readonly string[]> {
  const chance = seeded(seed);
  return new Simulation(chance, planOf(seed, chance), parts).run();
}
