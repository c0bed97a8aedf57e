/** Counts submissions: the totals of their forms, checked against a maximum, and the tallies per quarter of an hour. */
import type { Submission } from '../../../model/submission.js';
import { inLockOrder } from '../context.js';
import type { BatchInsert, SqlValue } from '../engine.js';
import { addToTally, tallyColumns, tallyRows } from './tallies.js';

interface Capped {
  readonly submission: Pick<Submission, 'formId'>;
  readonly maxSubmissions: number | null;
}

/** The forms of the entries that have a maximum, in lock order. */
function capRows(entries: readonly Capped[]): readonly (readonly SqlValue[])[] {
  const caps = new Map<string, number>();
  for (const { submission, maxSubmissions } of entries)
    if (maxSubmissions !== null)
      caps.set(submission.formId, Math.min(maxSubmissions, caps.get(submission.formId) ?? maxSubmissions));
  return inLockOrder(caps).map(([formId, most]) => [formId, most, 0]);
}

const capColumns = ['form_id', 'most', 'stored'];
/** Other commits of the form wait from here on. The count from before does not matter. */
const holdCap = 'ON CONFLICT (form_id) DO UPDATE SET most = excluded.most, stored = 0';
/** A separate statement, so that it sees what the commits it waited for have stored. */
const countCap = `ON CONFLICT (form_id) DO UPDATE SET stored =
  (SELECT COALESCE(sum(submissions), 0) FROM form_totals WHERE form_totals.form_id = form_caps.form_id)`;

/** `hold` must come first, `count` after the totals. */
export function capInserts(entries: readonly Capped[]): {
  readonly hold: BatchInsert;
  readonly count: BatchInsert;
} {
  const cap = { table: 'form_caps', columns: capColumns, rows: capRows(entries) } as const;
  return { hold: { ...cap, onConflict: holdCap }, count: { ...cap, onConflict: countCap } };
}

export function totalsInsert(counted: readonly Pick<Capped, 'submission'>[], slot: number): BatchInsert {
  const perForm = new Map<string, number>();
  for (const { submission } of counted)
    perForm.set(submission.formId, (perForm.get(submission.formId) ?? 0) + 1);
  return {
    table: 'form_totals',
    columns: ['form_id', 'slot', 'submissions'],
    rows: inLockOrder(perForm).map(([formId, count]) => [formId, slot, count]),
    onConflict:
      'ON CONFLICT (form_id, slot) DO UPDATE SET submissions = form_totals.submissions + excluded.submissions',
  };
}

export const talliesInsert = (items: Parameters<typeof tallyRows>[1], slot: number): BatchInsert => ({
  table: 'form_quarter_hours',
  columns: tallyColumns,
  rows: tallyRows(slot, items),
  onConflict: addToTally,
});
