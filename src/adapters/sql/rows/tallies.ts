/** Counts by form and time, and the latest rejected requests, as rows. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import { examplesKept, type Rejections } from '../../../model/rejections.js';
import {
  type Day,
  dayOfQuarterHour,
  type FormCount,
  firstQuarterHourOf,
  quarterHourOf,
  type TallyKind,
} from '../../../model/tally.js';
import type { TallyStore } from '../../../ports/tallies.js';
import { inLockOrder, runBatch, type SqlContext } from '../context.js';
import type { SqlValue } from '../engine.js';
import { mapped } from '../mapping.js';
import { inReach } from '../reach.js';
import type { Schema } from '../schema.js';
import { isListed } from '../submission-filter.js';
import { formsIn } from './forms-in.js';

export const tallyColumns = ['form_id', 'quarter_hour', 'kind', 'slot', 'count'] as const;
export const addToTally =
  'ON CONFLICT (form_id, quarter_hour, kind, slot) DO UPDATE SET count = form_quarter_hours.count + excluded.count';

const rejections = mapped<Rejections>()('formId reason id at seen ip userAgent');

type Counted = readonly { readonly formId: string; readonly createdAt: number }[];

/** One row per form, quarter of an hour and kind. */
export function tallyRows(
  slot: number,
  items: Partial<Record<TallyKind, Counted>>,
): readonly (readonly SqlValue[])[] {
  const counts = new Map<string, [string, number, string, number, number]>();
  for (const [kind, counted] of Object.entries(items)) {
    for (const { formId, createdAt } of counted) {
      const quarterHour = quarterHourOf(createdAt);
      const key = tallyKey({ formId, quarterHour, kind });
      const row = counts.get(key);
      if (row) row[4] += 1;
      else counts.set(key, [formId, quarterHour, kind, slot, 1]);
    }
  }
  return inLockOrder(counts).map(([, row]) => row);
}

const tallyKey = ({
  formId,
  quarterHour,
  kind,
}: Omit<FormCount, 'count' | 'kind'> & { kind: string }): string => `${formId} ${quarterHour} ${kind}`;

// Written later: the form may be deleted by now, and nothing would ever remove its rows.
const isThere = 'WHERE EXISTS (SELECT 1 FROM forms WHERE id = ? AND deleted_at IS NULL)';
const addCount = `INSERT INTO form_quarter_hours (${tallyColumns.join(', ')}) SELECT ?, ?, ?, ?, ? ${isThere} ${addToTally}`;
// An insert whose response was lost is sent a second time.
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
          .sort((a, b) => (tallyKey(a) < tallyKey(b) ? -1 : 1))
          .map(({ formId, quarterHour, kind, count }) => [
            ...[formId, quarterHour, kind, context.slot, count],
            formId,
          ]),
      },
      {
        sql: addExample,
        rows: examples.map((example) => [...rejections.values(example), example.formId]),
      },
      { sql: dropOlder, rows: Array.from(lines.values(), (line) => [...line, ...line]) },
    ]);
  },

  async days(scope, runs) {
    const [first, last] = [runs[0], runs.at(-1)];
    if (!first || !last) return [];
    const forms = formsIn(context.read, scope);
    const fine = runs.map(
      ({ firstDay, days, start, quarterHoursPerDay: length }) =>
        sql`SELECT ${sql.lit(firstDay)} + (quarter_hour - ${sql.lit(start)}) / ${sql.lit(length)} AS day, kind, count
          FROM form_quarter_hours WHERE form_id IN (${forms})
            AND quarter_hour >= ${sql.lit(start)} AND quarter_hour < ${sql.lit(start + days * length)}`,
    );
    const whole = sql`SELECT day, kind, count FROM form_days WHERE form_id IN (${forms})
      AND day >= ${sql.lit(first.firstDay)} AND day < ${sql.lit(last.firstDay + last.days)}`;
    const { rows } = await sql<{ day: number; kind: TallyKind; count: number }>`
      SELECT day, kind, sum(count) AS count FROM (${sql.join([...fine, whole], sql` UNION ALL `)}) AS counted
      GROUP BY day, kind`.execute(context.read);
    return rows.map(({ day, kind, count }) => ({ day: Number(day), kind, count: Number(count) }));
  },

  async byForm(reach, fromDay, kinds) {
    const forms = formsIn(context.read, { kind: 'account', reach });
    const counted = (table: string, since: string, from: number) =>
      sql`SELECT form_id, kind, count FROM ${sql.table(table)} WHERE form_id IN (${forms})
        AND ${sql.ref(since)} >= ${sql.lit(from)} AND kind IN (${sql.join(kinds)})`;
    const { rows } = await sql<{ form_id: string; kind: TallyKind; count: number }>`
      SELECT form_id, kind, sum(count) AS count FROM (
        ${counted('form_days', 'day', fromDay)}
        UNION ALL ${counted('form_quarter_hours', 'quarter_hour', firstQuarterHourOf(fromDay))}
      ) AS counted GROUP BY form_id, kind`.execute(context.read);
    return rows.map(({ form_id, kind, count }) => ({ formId: form_id, kind, count: Number(count) }));
  },

  async troubles(reach, { givenUpSince, waitingSince }, mostCounted) {
    // Counts through the indexes, form by form, and no further than `mostCounted`.
    const upTo = (rows: RawBuilder<unknown>) =>
      sql<number>`(SELECT count(*) FROM (${rows} LIMIT ${mostCounted}) AS counted)`;
    // Leaves out mails, which are reported by their server's response. Limits the submissions: the search must end for them too.
    const inState = (state: 'failed' | 'pending', when: RawBuilder<unknown>) =>
      sql<number>`(SELECT count(*) FROM (SELECT submissions.id FROM submissions WHERE submissions.form_id = forms.id
        AND webhook_state = ${sql.lit(state)} AND webhook_state IN ('pending', 'failed') AND ${sql.raw(isListed)} AND ${when}
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
      .where(inReach(reach))
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

/** Rows per step, oldest first: other transactions wait for no more than that. */
const foldedRows = 500;

/** Call it inside a transaction. Turns quarter-hour counts before that day into daily ones. Returns false when there were none. */
export async function foldTallies(db: Kysely<Schema>, beforeDay: Day): Promise<boolean> {
  const { rows } = await sql<{
    form_id: string;
    quarter_hour: number;
    kind: TallyKind;
    slot: number;
    count: number;
  }>`
    DELETE FROM form_quarter_hours WHERE (form_id, quarter_hour, kind, slot) IN (
      SELECT form_id, quarter_hour, kind, slot FROM form_quarter_hours
      WHERE quarter_hour < ${sql.lit(firstQuarterHourOf(beforeDay))}
      ORDER BY quarter_hour LIMIT ${sql.lit(foldedRows)})
    RETURNING form_id, quarter_hour, kind, slot, count`.execute(db);
  const days = new Map<string, Schema['form_days']>();
  for (const { quarter_hour, ...row } of rows) {
    const day = dayOfQuarterHour(Number(quarter_hour));
    const key = `${row.form_id} ${day} ${row.kind} ${row.slot}`;
    days.set(key, { ...row, day, count: Number(row.count) + (days.get(key)?.count ?? 0) });
  }
  for (const row of days.values())
    await sql`INSERT INTO form_days (form_id, day, kind, slot, count)
      VALUES (${row.form_id}, ${row.day}, ${row.kind}, ${row.slot}, ${row.count})
      ON CONFLICT (form_id, day, kind, slot) DO UPDATE SET count = form_days.count + excluded.count`.execute(
      db,
    );
  return rows.length > 0;
}
