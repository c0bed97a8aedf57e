/** Statements that update the health of destinations after attempts. */
import { builtInNames, ownerOfBuiltIn } from '../../../model/destination.js';
import type { HealthChange } from '../../../ports/destinations.js';
import type { BatchStatement, SqlValue } from '../engine.js';
import type { DestinationRow } from '../schema.js';

/** Only if the owner exists: it may be deleted, or a form moved, while a delivery is on its way. */
const insertBuiltIn = `INSERT INTO destinations (id, project_id, form_id, kind, name, is_active, built_in, config,
    failures, told_state, created_at, updated_at)
  SELECT ?, projects.id, ?, ?, ?, 1, 1, '', 0, 'ok', projects.created_at, projects.updated_at
  FROM projects WHERE projects.id = COALESCE((SELECT forms.project_id FROM forms WHERE forms.id = ?), ?)
  ON CONFLICT DO NOTHING`;

function builtInValues({
  destinationId,
  target,
  formId,
  projectId,
}: HealthChange): readonly SqlValue[] | null {
  const owner = ownerOfBuiltIn(destinationId);
  if (owner?.name !== 'webhook' && owner?.name !== 'email') return null;
  const ofForm = target === 'form' ? formId : null;
  return [destinationId, ofForm, owner.name, builtInNames[owner.name], ofForm, projectId];
}

const recordHealth = `UPDATE destinations SET
    failures = CASE WHEN ? = 1 THEN ? ELSE failures + ? END,
    failing_since = CASE WHEN ? = 1 THEN ? ELSE coalesce(failing_since, ?) END,
    last_failed_at = coalesce(?, last_failed_at),
    last_success_at = coalesce(?, last_success_at),
    last_error = CASE WHEN ? = 1 THEN ? ELSE coalesce(?, last_error) END
  WHERE id = ?`;

function healthValues(change: HealthChange): readonly SqlValue[] {
  const { destinationId, succeededAt, failures, firstFailedAt, lastFailedAt, lastError } = change;
  const hasSucceeded = succeededAt === null ? 0 : 1;
  return [
    ...[hasSucceeded, failures, failures],
    ...[hasSucceeded, firstFailedAt, firstFailedAt],
    ...[lastFailedAt, succeededAt],
    ...[hasSucceeded, lastError, lastError],
    destinationId,
  ];
}

/** The last success of a destination that works is known to the minute. */
const successEveryMs = 60_000;

export type StoredHealth = Pick<DestinationRow, 'id' | 'failures' | 'last_success_at'>;

/** It works, as is stored. A process cannot know that: another one may have stored a failure since. */
const saysNothingNew = ({ succeededAt, failures }: HealthChange, stored: StoredHealth | undefined): boolean =>
  failures === 0 &&
  succeededAt !== null &&
  stored?.failures === 0 &&
  stored.last_success_at !== null &&
  succeededAt - stored.last_success_at <= successEveryMs;

/** Only for what changes: on PostgreSQL, statements for 300 destinations that work took 70 ms, reading them first takes 17. */
export function healthStatements(
  changes: readonly HealthChange[],
  stored: readonly StoredHealth[],
): readonly BatchStatement[] {
  const known = new Map(stored.map((row) => [row.id, row]));
  const changed = changes.filter((change) => !saysNothingNew(change, known.get(change.destinationId)));
  const added = changed.filter(({ destinationId }) => !known.has(destinationId));
  return [
    { sql: insertBuiltIn, rows: added.map(builtInValues).filter((row) => row !== null) },
    { sql: recordHealth, rows: changed.map(healthValues) },
  ].filter(({ rows }) => rows.length > 0);
}
