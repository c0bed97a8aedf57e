/** Statements that update the health of destinations after attempts. */
import { builtInNames, ownerOfBuiltIn } from '../../../model/destination.js';
import type { HealthChange } from '../../../ports/destinations.js';
import type { BatchStatement, SqlValue } from '../engine.js';

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

export const healthStatements = (changes: readonly HealthChange[]): readonly BatchStatement[] => [
  { sql: insertBuiltIn, rows: changes.map(builtInValues).filter((row) => row !== null) },
  { sql: recordHealth, rows: changes.map(healthValues) },
];
