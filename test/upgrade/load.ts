/** Visitors who keep sending during an upgrade. A visitor without a response sends the same form again. */
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { composeRequest, type Sent, send } from '../support/ledger.js';
import { runSeed, seeded } from '../support/seeded.js';

export interface Load {
  readonly ledger: readonly Sent[];
  /** Responses other than a success. */
  readonly refusals: readonly string[];
  acknowledged(): number;
  /** Resolves once this many more are acknowledged. */
  goesOn(count: number): Promise<void>;
  /** Resolves once everything that was started is acknowledged. */
  stop(): Promise<void>;
}

/** Requests go to the endpoints in turn. One without a response goes to the next endpoint. */
export function startLoad(endpoints: () => readonly string[], senders = 4): Load {
  const chance = seeded(runSeed());
  const ledger: Sent[] = [];
  const refusals: string[] = [];
  let isOver = false;
  let isAbandoned = false;
  // After a failure there may be no server left to respond.
  onTestFinished(() => {
    isAbandoned = true;
  });
  let turn = 0;
  let acknowledged = 0;
  const sendOne = async (): Promise<void> => {
    const sent = composeRequest(chance, true);
    ledger.push(sent);
    while (sent.promised === null && !isAbandoned) {
      const all = endpoints();
      turn += 1;
      const answer = await send(all[turn % all.length] ?? '', sent);
      if (sent.promised !== null) break;
      if (answer !== null) refusals.push(sent.fault ?? '');
      // While nothing listens.
      await pause(20);
    }
    acknowledged += 1;
  };
  const sending = Array.from({ length: senders }, async () => {
    while (!isOver && !isAbandoned) {
      await sendOne();
      // Visitors, not a benchmark: a server that starts slowly must not get ten times as many.
      await pause(50);
    }
  });
  return {
    ledger,
    refusals,
    acknowledged: () => acknowledged,
    async goesOn(count) {
      const enough = acknowledged + count;
      while (acknowledged < enough && !isAbandoned) await pause(10);
    },
    async stop() {
      isOver = true;
      await Promise.all(sending);
    },
  };
}
