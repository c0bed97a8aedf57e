/**
 * Visitors, an owner and a health check, all at once. Records what was acknowledged and how the service responded while something behind it
 * was unavailable. It must respond to every request, whatever happens behind it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually } from '../cluster/cluster.js';
import { type Answer, client, type MadeForm, request } from '../support/client.js';
import { composeRequest, differences, type Listed, listAll, type Sent, send } from '../support/ledger.js';
import type { Receiver } from '../support/receivers.js';
import { runSeed, seeded } from '../support/seeded.js';

export interface Load {
  readonly sent: readonly Sent[];
  /** How many submissions were acknowledged so far. */
  promised(): number;
  /** How many requests of visitors were rejected so far. */
  refused(): number;
  /** What was wrong with responses. Empty when all were right. */
  readonly faults: readonly string[];
  /** The statuses of /readyz, in order and without repetition. */
  readonly readiness: readonly number[];
  /** The longest wait for a response. */
  slowestMs(): number;
  /** Resolves once this many more submissions were acknowledged. */
  untilPromised(more: number, withinMs?: number): Promise<void>;
  untilRefused(more: number, withinMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** A limit for work that takes longer on a busy machine: only a hang reaches it. */
const patienceMs = 45_000;

export function startLoad(url: string, form: MadeForm, visitors = 6): Load {
  const chance = seeded(runSeed());
  const sent: Sent[] = [];
  const faults: string[] = [];
  const readiness: number[] = [];
  const api = client(url);
  let [promised, refused, slowestMs] = [0, 0, 0];
  let isOver = false;

  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const begunAt = performance.now();
    const answer = await work;
    slowestMs = Math.max(slowestMs, performance.now() - begunAt);
    return answer;
  };

  /** Success, or 503 with Retry-After: an unavailable database may cause nothing else. */
  const judge = (who: string, answer: Answer | null, fault: string | null = null): boolean => {
    if (answer !== null && answer.status >= 200 && answer.status < 300) return true;
    const isRefusal = answer?.status === 503 && Number(answer.headers.get('retry-after')) > 0;
    if (!isRefusal) faults.push(`${who}: ${answer?.status ?? ''} ${fault ?? answer?.text ?? 'no answer'}`);
    return false;
  };

  const visitor = async (): Promise<void> => {
    while (!isOver) {
      const one = composeRequest(chance, false);
      sent.push(one);
      if (judge('visitor', await timed(send(form.endpoint, one)), one.fault)) {
        promised += 1;
        await pause(20);
      } else {
        refused += 1;
        await pause(50);
      }
    }
  };
  const owner = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      const changed = { name: `Contact ${turn}` };
      judge('owner writes', await timed(api.patch(`/api/v1/forms/${form.formId}`, changed)));
      judge('owner reads', await timed(api.get(`/api/v1/forms/${form.formId}/submissions?limit=5`)));
      await pause(50);
    }
  };
  const watchman = async (): Promise<void> => {
    while (!isOver) {
      const health = await request(`${url}/healthz`);
      if (health.status !== 200) faults.push(`/healthz: ${health.status}`);
      const { status } = await timed(request(`${url}/readyz`));
      if (readiness.at(-1) !== status) readiness.push(status);
      await pause(100);
    }
  };

  const roles = [...Array.from({ length: visitors }, () => visitor), owner, watchman];
  const running = Promise.all(
    roles.map((role) => role().catch((error) => faults.push(`${role.name}: ${error}`))),
  );
  const untilMore = (what: () => number, more: number, withinMs: number): Promise<void> => {
    const wanted = what() + more;
    return eventually(() => expect(what(), faults.join('\n')).toBeGreaterThanOrEqual(wanted), withinMs);
  };
  return {
    sent,
    faults,
    readiness,
    promised: () => promised,
    refused: () => refused,
    slowestMs: () => slowestMs,
    untilPromised: (more, withinMs = patienceMs) => untilMore(() => promised, more, withinMs),
    untilRefused: (more, withinMs = patienceMs) => untilMore(() => refused, more, withinMs),
    async stop() {
      isOver = true;
      await running;
    },
  };
}

/** Everything that was acknowledged is stored, complete and exactly once. Resolves with what is stored. */
export async function expectAllThere(
  url: string,
  form: MadeForm,
  ledger: readonly Sent[],
): Promise<readonly Listed[]> {
  const listed = await listAll(url, form.formId);
  expect(differences(ledger, listed)).toEqual([]);
  return listed;
}

/** The webhook of every stored submission has arrived, and nothing is stuck: a lease of a minute would expire too late for this limit. */
export async function expectAllDelivered(url: string, form: MadeForm, receiver: Receiver): Promise<void> {
  const listed = await listAll(url, form.formId);
  const missing = (): readonly unknown[] => {
    const arrived = new Set(
      receiver.requests.map(({ body }) => JSON.parse(body.toString()).submission.data.client_id),
    );
    return listed.map(({ data }) => data.client_id).filter((id) => !arrived.has(id));
  };
  await eventually(() => expect(missing()).toEqual([]), patienceMs);
  for (const state of ['pending', 'failed']) {
    const path = `/api/v1/forms/${form.formId}/submissions?webhook_state=${state}&limit=5`;
    await eventually(async () => expect((await client(url).get(path)).body.data).toEqual([]), patienceMs);
  }
}
