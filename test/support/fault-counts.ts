/**
 * What a test of faults did and what came of it, for the report (`node scripts/faults-report.mjs`): written only when that
 * script asks for it, and counted before anything is expected of the numbers.
 */
import { appendFileSync } from 'node:fs';
import type { Listed, Sent } from './ledger.js';

export interface FaultCounts {
  /** Kills, freezes, outages; of the simulation, histories. */
  readonly faults: number;
  /** Submissions that were answered with success. */
  readonly acknowledged: number;
  /** Requests without a success: cut off by a kill, or asked to retry. */
  readonly unanswered?: number;
  /** Of the acknowledged: not there afterwards, or with a webhook that never arrived. */
  readonly lost: number;
}

export function noteFaults(id: string, counts: FaultCounts): void {
  const file = process.env.FAULT_COUNTS_FILE;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ id, ...counts })}\n`);
}

/** What became of the requests of a ledger. */
export function fateOf(
  ledger: readonly Sent[],
  listed: readonly Listed[],
): { acknowledged: number; unanswered: number; lost: number } {
  const there = new Set(listed.map(({ id }) => id));
  const promised = ledger.flatMap((one) => (one.promised ? [one.promised.submissionId] : []));
  return {
    acknowledged: promised.length,
    unanswered: ledger.length - promised.length,
    lost: promised.filter((id) => !there.has(id)).length,
  };
}
