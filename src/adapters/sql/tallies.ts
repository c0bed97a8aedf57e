/** Counts by form and day, and the last requests that were turned away, as rows. */
import type { TallyKind } from '../../model/tally.js';
import { examplesKept, type TurnAwayReason } from '../../model/turned-away.js';
import type { TallyStore } from '../../ports/store.js';
import { runBatch, type SqlContext } from './context.js';

export const dayColumns = ['form_id', 'day', 'kind', 'count'] as const;
export const addToDay =
  'ON CONFLICT (form_id, day, kind) DO UPDATE SET count = form_days.count + excluded.count';

// Written behind: the form may be gone by now, and nothing would ever take its rows away.
const isThere = 'WHERE EXISTS (SELECT 1 FROM forms WHERE id = ? AND deleted_at IS NULL)';
const addCount = `INSERT INTO form_days (${dayColumns.join(', ')}) SELECT ?, ?, ?, ? ${isThere} ${addToDay}`;
const addExample = `INSERT INTO turned_away_examples (form_id, reason, id, at, seen, ip, user_agent)
  SELECT ?, ?, ?, ?, ?, ?, ? ${isThere}`;
const dropOlder = `DELETE FROM turned_away_examples WHERE form_id = ? AND reason = ? AND id NOT IN (
    SELECT id FROM turned_away_examples WHERE form_id = ? AND reason = ? ORDER BY id DESC LIMIT ${examplesKept})`;

export const tallyStore = (context: SqlContext): TallyStore => ({
  async add(counts, examples) {
    const lines = new Map(examples.map(({ formId, reason }) => [`${formId} ${reason}`, [formId, reason]]));
    await runBatch(context, [
      {
        sql: addCount,
        rows: counts.map(({ formId, day, kind, count }) => [formId, day, kind, count, formId]),
      },
      {
        sql: addExample,
        rows: examples.map(({ formId, reason, id, at, seen, ip, userAgent }) => [
          formId,
          reason,
          id,
          at,
          seen,
          ip,
          userAgent,
          formId,
        ]),
      },
      { sql: dropOlder, rows: Array.from(lines.values(), (line) => [...line, ...line]) },
    ]);
  },

  async days(scope, fromDay) {
    let query = context.read
      .selectFrom('form_days')
      .select(['day', 'kind', (e) => e.fn.sum<number>('count').as('count')])
      .where('day', '>=', fromDay)
      .groupBy(['day', 'kind']);
    query = query.where('form_id', 'in', (e) => {
      const forms = e.selectFrom('forms').select('forms.id').where('forms.deleted_at', 'is', null);
      switch (scope.kind) {
        case 'form':
          return forms.where('forms.id', '=', scope.formId);
        case 'project':
          return forms.where('forms.project_id', '=', scope.projectId);
        case 'account':
          return forms
            .innerJoin('projects', 'projects.id', 'forms.project_id')
            .where('projects.account_id', '=', scope.accountId);
      }
    });
    const rows = await query.execute();
    return rows.map(({ day, kind, count }) => ({ day, kind: kind as TallyKind, count: Number(count) }));
  },

  async examples(formId, since) {
    const rows = await context.read
      .selectFrom('turned_away_examples')
      .selectAll()
      .where('form_id', '=', formId)
      .where('at', '>=', since)
      .orderBy('id', 'desc')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      formId: row.form_id,
      reason: row.reason as TurnAwayReason,
      at: row.at,
      seen: row.seen,
      ip: row.ip,
      userAgent: row.user_agent,
    }));
  },
});
