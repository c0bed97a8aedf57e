/**
 * What a fault test did and what came of it, for the report (`node scripts/faults-report.mjs`). Written only when that script requests it,
 * and before anything is expected of the numbers.
 */
import { appendFileSync } from 'node:fs';
import type { Listed, Sent } from './ledger.js';

export interface FaultCounts {
  /** Kills, freezes, outages. For the simulation: histories. */
  readonly faults: number;
  /** Submissions with a success response. */
  readonly acknowledged: number;
  /** Requests without a success: cut off by a kill, or told to retry. */
  readonly unanswered?: number;
  /** Acknowledged ones that are missing afterwards, or whose webhook never arrived. */
  readonly lost: number;
}

export function noteFaults(id: string, counts: FaultCounts): void {
  const file = process.env.FAULT_COUNTS_FILE;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ id, ...counts })}\n`);
}

/** The outcome of the requests in a ledger. */
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
