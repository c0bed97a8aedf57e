/**
 * One process that runs the real dispatcher. It can die at any moment, and nothing more comes from it. It can freeze, and gets everything
 * later. Its calls to the store take time, fail, or succeed while their response is lost.
 */
import { createHttpCalls } from '../../src/adapters/destinations/http-call.js';
import { createWebhook } from '../../src/adapters/destinations/webhook.js';
import { createAttempts } from '../../src/domain/sending/attempt.js';
import type { Addressed } from '../../src/domain/sending/current.js';
import { Dispatcher } from '../../src/domain/sending/dispatcher.js';
import type { LaneLimits } from '../../src/domain/sending/lanes.js';
import type { Clock } from '../../src/kernel/clock.js';
import type { Delivery } from '../../src/model/delivery.js';
import type { DestinationOf } from '../../src/model/destination.js';
import type { DeliveryQueue } from '../../src/ports/delivery-queue.js';
import type { OutboundRequest, OutboundResult } from '../../src/ports/outbound.js';
import { delaysOfAll, theseKinds } from '../support/planning.js';
import type { Chance } from '../support/seeded.js';
import type { VirtualTime } from '../support/virtual-time.js';

export interface StoreTroubles {
  /** Probabilities per call. */
  readonly refusal: number;
  readonly lostAnswer: number;
  readonly stall: number;
  readonly stallMs: number;
}

export interface ProcessWorld {
  readonly time: VirtualTime;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly queue: DeliveryQueue;
  readonly troubles: () => StoreTroubles | null;
  readonly delays: readonly number[];
  readonly limits: LaneLimits;
  readonly leaseMs: number;
  readonly deadlineMs: number;
  /** The dispatcher starts an attempt: its lease must be valid at this moment. */
  readonly onAttempt: (process: SimulatedProcess, delivery: Delivery) => void;
  /** The request is sent. */
  readonly receive: (process: SimulatedProcess, request: OutboundRequest) => OutboundResult;
  readonly onReceiveEnd: (
    process: SimulatedProcess,
    request: OutboundRequest,
    result: OutboundResult,
  ) => void;
  readonly onLost: (ids: readonly string[]) => void;
}

const signing = { secret: 'whsec_c2ltdWxhdGlvbg==', previousSecret: null, previousSecretUntil: null };

const destinationAt = (url: string): DestinationOf<'webhook'> => ({
  id: url,
  projectId: 'project',
  formId: 'form',
  kind: 'webhook',
  name: url,
  isActive: true,
  builtIn: false,
  filter: null,
  template: null,
  retryDelaysMs: null,
  createdAt: 0,
  updatedAt: 0,
  config: { url, method: 'POST', headers: {}, secret: null, content_type: 'application/json' },
});

export class SimulatedProcess {
  readonly dispatcher: Dispatcher;
  isDead = false;
  #frozenUntil = 0;

  constructor(
    private readonly world: ProcessWorld,
    readonly owner: string,
  ) {
    const { clock, chance } = world;
    const calls = createHttpCalls({
      clock,
      timeoutMs: world.deadlineMs,
      instanceMark: 'simulated',
      userAgent: 'Inlet/simulated',
      outbound: { send: (request) => this.#send(request), close: async () => {} },
    });
    const kinds = theseKinds({ webhook: createWebhook({ calls, clock }) });
    const current = {
      get: ({ url }: Addressed) => this.#call(async () => ({ destination: destinationAt(url), signing })),
    };
    const attempt = createAttempts({ current, kinds, clock, delays: delaysOfAll(world.delays) });
    let tokens = 0;
    this.dispatcher = new Dispatcher({
      queue: {
        heads: () => this.#call(() => world.queue.heads()),
        runCycle: (cycle) => this.#call(() => world.queue.runCycle(cycle)),
        recover: (of, now) => this.#call(() => world.queue.recover(of, now)),
        takeIn: (now) => this.#call(() => world.queue.takeIn(now)),
        listWaiting: (after) => this.#call(() => world.queue.listWaiting(after)),
        pullBack: (rows) => this.#call(() => world.queue.pullBack(rows)),
      },
      cutOff: async () => {},
      attempt: (delivery) => {
        world.onAttempt(this, delivery);
        return attempt(delivery);
      },
      clock,
      timers: { after: (ms, callback) => this.#after(ms, callback) },
      random: () => chance.next(),
      newToken: () => {
        tokens += 1;
        return `${owner} ${tokens}`;
      },
      owner,
      delaysOf: async () => world.delays,
      leaseMs: world.leaseMs,
      limits: world.limits,
      observer: {
        attempted() {},
        recorded() {},
        lost: world.onLost,
        failed() {},
      },
    });
  }

  freeze(ms: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.world.time.now + ms);
  }

  /** What the process itself does next: later when it is frozen, never when it is dead. */
  #resume(callback: () => void): void {
    if (this.isDead) return;
    const wait = this.#frozenUntil - this.world.time.now;
    if (wait > 0) this.world.time.after(wait, () => this.#resume(callback));
    else callback();
  }

  #after(ms: number, callback: () => void): () => void {
    let isCalledOff = false;
    const callOff = this.world.time.after(ms, () =>
      this.#resume(() => {
        if (!isCalledOff) callback();
      }),
    );
    return () => {
      isCalledOff = true;
      callOff();
    };
  }

  wake(lanes: readonly string[]): void {
    this.#resume(() => this.dispatcher.wake(lanes));
  }

  #call<T>(work: () => Promise<T>): Promise<T> {
    const { time, chance } = this.world;
    const troubles = this.world.troubles();
    const latency = (): number => {
      if (troubles && chance.next() < troubles.stall) return chance.between(0, troubles.stallMs);
      return chance.next() < 0.3 ? 0 : chance.between(0, 8);
    };
    return new Promise((resolve, reject) => {
      time.after(latency(), () => {
        // Made by a process that has died: the call died with it.
        if (this.isDead) return;
        const answer = (settle: () => void): void => void time.after(latency(), () => this.#resume(settle));
        if (troubles && chance.next() < troubles.refusal) {
          answer(() => reject(new Error('refused by the store')));
          return;
        }
        const isAnswerLost = troubles !== null && chance.next() < troubles.lostAnswer;
        work().then(
          (value) => answer(() => (isAnswerLost ? reject(new Error('the answer is lost')) : resolve(value))),
          (error: unknown) => answer(() => reject(error)),
        );
      });
    });
  }

  #send(request: OutboundRequest): Promise<OutboundResult> {
    // It died between learning something and acting on it.
    if (this.isDead) return new Promise(() => {});
    const result = this.world.receive(this, request);
    return new Promise((resolve) => {
      this.world.time.after(result.timings.totalMs, () =>
        this.#resume(() => {
          this.world.onReceiveEnd(this, request, result);
          resolve(result);
        }),
      );
    });
  }
}
