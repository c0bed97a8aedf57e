/** Counts by form and day, and the last requests that were rejected, as rows. */
import { type RawBuilder, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import { examplesKept, type Rejections } from '../../../model/rejections.js';
import { dayOf, type TallyKind } from '../../../model/tally.js';
import type { TallyStore } from '../../../ports/store.js';
import { inLockOrder, runBatch, type SqlContext } from '../context.js';
import type { SqlValue } from '../engine.js';
import { mapped } from '../mapping.js';
import { formsIn } from './forms-in.js';

export const dayColumns = ['form_id', 'day', 'kind', 'slot', 'count'] as const;
export const addToDay =
  'ON CONFLICT (form_id, day, kind, slot) DO UPDATE SET count = form_days.count + excluded.count';

const rejections = mapped<Rejections>()('formId reason id at seen ip userAgent');

type Counted = readonly { readonly formId: string; readonly createdAt: number }[];

/** One row for each form, day and kind. */
export function dayRows(
  slot: number,
  items: Partial<Record<TallyKind, Counted>>,
): readonly (readonly SqlValue[])[] {
  const counts = new Map<string, [string, number, string, number, number]>();
  for (const [kind, counted] of Object.entries(items)) {
    for (const { formId, createdAt } of counted) {
      const day = dayOf(createdAt);
      const key = dayKey({ formId, day, kind });
      const row = counts.get(key);
      if (row) row[4] += 1;
      else counts.set(key, [formId, day, kind, slot, 1]);
    }
  }
  return inLockOrder(counts).map(([, row]) => row);
}

const dayKey = ({ formId, day, kind }: { formId: string; day: number; kind: string }): string =>
  `${formId} ${day} ${kind}`;

// Written behind: the form may be gone by now, and nothing would ever take its rows away.
const isThere = 'WHERE EXISTS (SELECT 1 FROM forms WHERE id = ? AND deleted_at IS NULL)';
const addCount = `INSERT INTO form_days (${dayColumns.join(', ')}) SELECT ?, ?, ?, ?, ? ${isThere} ${addToDay}`;
// What was written although its answer was lost comes again.
const addExample = `INSERT INTO turned_away_examples (${rejections.columns.join(', ')})
  SELECT ?, ?, ?, ?, ?, ?, ? ${isThere} ON CONFLICT DO NOTHING`;
const dropOlder = `DELETE FROM turned_away_examples WHERE form_id = ? AND reason = ? AND id NOT IN (
    SELECT id FROM turned_away_examples WHERE form_id = ? AND reason = ? ORDER BY id DESC LIMIT ${examplesKept})`;

export const tallyStore = (context: SqlContext): TallyStore => ({
  async add(counts, examples) {
    const lines = new Map(examples.map(({ formId, reason }) => [`${formId} ${reason}`, [formId, reason]]));
    await runBatch(context, [
      {
        sql: addCount,
        rows: [...counts]
          .sort((a, b) => (dayKey(a) < dayKey(b) ? -1 : 1))
          .map(({ formId, day, kind, count }) => [formId, day, kind, context.slot, count, formId]),
      },
      {
        sql: addExample,
        rows: examples.map((example) => [...rejections.values(example), example.formId]),
      },
      { sql: dropOlder, rows: Array.from(lines.values(), (line) => [...line, ...line]) },
    ]);
  },

  async days(scope, fromDay) {
    const rows = await context.read
      .selectFrom('form_days')
      .select(['day', 'kind', (e) => e.fn.sum<number>('count').as('count')])
      .where('day', '>=', fromDay)
      .where('form_id', 'in', formsIn(context.read, scope))
      .groupBy(['day', 'kind'])
      .execute();
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  },

  async byForm(accountId, fromDay, kinds) {
    const rows = await context.read
      .selectFrom('form_days')
      .select(['form_id', 'kind', (e) => e.fn.sum<number>('count').as('count')])
      .where('day', '>=', fromDay)
      .where('kind', 'in', kinds)
      .where('form_id', 'in', formsIn(context.read, { kind: 'account', accountId }))
      .groupBy(['form_id', 'kind'])
      .execute();
    return rows.map(({ form_id, kind, count }) => ({ formId: form_id, kind, count: Number(count) }));
  },

  async troubles(accountId, { givenUpSince, waitingSince }, mostCounted) {
    // Counted through the indexes, form by form, and never further than anybody wants to know.
    const upTo = (rows: RawBuilder<unknown>) =>
      sql<number>`(SELECT count(*) FROM (${rows} LIMIT ${mostCounted}) AS counted)`;
    // Mails are told of by what their server said. Of so many submissions: looking for others must end too.
    const inState = (state: 'failed' | 'pending', when: RawBuilder<unknown>) =>
      sql<number>`(SELECT count(*) FROM (SELECT submissions.id FROM submissions WHERE submissions.form_id = forms.id
        AND webhook_state = ${sql.lit(state)} AND webhook_state IN ('pending', 'failed') AND folder NOT IN ('spam', 'trash') AND ${when}
        LIMIT ${mostCounted}) AS found WHERE EXISTS (SELECT 1 FROM deliveries
          WHERE deliveries.submission_id = found.id AND deliveries.state = ${sql.lit(state)} AND deliveries.kind <> 'email'))`;
    const rows = await context.read
      .selectFrom('forms')
      .innerJoin('projects', 'projects.id', 'forms.project_id')
      .select(['forms.id', 'forms.name', 'forms.project_id', 'forms.validation_mode'])
      .select([
        inState('failed', sql`submissions.id >= ${lowestIdAt(givenUpSince)}`).as('undelivered'),
        inState('pending', sql`submissions.id < ${lowestIdAt(waitingSince)}`).as('waiting'),
        upTo(sql`SELECT 1 FROM quarantined WHERE quarantined.form_id = forms.id`).as('quarantined'),
      ])
      .where('projects.account_id', '=', accountId)
      .where('forms.deleted_at', 'is', null)
      .orderBy('forms.id')
      .execute();
    return rows.map((row) => ({
      formId: row.id,
      formName: row.name,
      projectId: row.project_id,
      isSandbox: row.validation_mode === 'sandbox',
      undelivered: row.undelivered,
      waiting: row.waiting,
      quarantined: row.quarantined,
    }));
  },

  async examples(formId, since) {
    const rows = await context.read
      .selectFrom('turned_away_examples')
      .selectAll()
      .where('form_id', '=', formId)
      .where('at', '>=', since)
      .orderBy('id', 'desc')
      .execute();
    return rows.map(rejections.toNoun);
  },
});
