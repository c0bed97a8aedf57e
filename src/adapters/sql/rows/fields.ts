/** The fields of forms as rows. */
import { sql } from 'kysely';
import { maxObservedNames, type SeenField } from '../../../model/observed-field.js';
import type { FieldStore } from '../../../ports/fields.js';
import { inLockOrder, runBatch, type SqlContext } from '../context.js';
import { type BatchInsert, insertText, maxPageBytes, type SqlValue } from '../engine.js';
import { findValue, learnedName } from './instance.js';

/** The earlier or the later of two times, for which the databases have different functions. */
const outer = (column: string, sign: '<' | '>') =>
  `${column} = CASE WHEN excluded.${column} ${sign} form_fields.${column} THEN excluded.${column} ELSE form_fields.${column} END`;

/** One row per field, regardless of how many submissions of a batch have it. */
function fieldRows(fields: readonly SeenField[]): readonly (readonly SqlValue[])[] {
  const rows = new Map<string, [string, string, number, number, number, number]>();
  for (const { formId, name: plain, kinds, place, seenAt } of fields) {
    const name = JSON.stringify(plain);
    const row = rows.get(formId + name);
    if (row) {
      row[2] |= kinds;
      row[4] = Math.min(row[4], seenAt);
      row[5] = Math.max(row[5], seenAt);
    } else rows.set(formId + name, [formId, name, kinds, place, seenAt, seenAt]);
  }
  return inLockOrder(rows).map(([, row]) => row);
}

export const fieldInsert = (fields: readonly SeenField[]): BatchInsert => ({
  table: 'form_fields',
  columns: ['form_id', 'name', 'kinds', 'place', 'first_seen_at', 'last_seen_at'],
  rows: fields.length === 0 ? [] : fieldRows(fields),
  onConflict: `ON CONFLICT (form_id, name) DO UPDATE SET kinds = form_fields.kinds | excluded.kinds,
    ${outer('first_seen_at', '<')}, ${outer('last_seen_at', '>')}`,
});

const pageRows = 1_000;
/** The value in `instance` once everything is learned. Until then, the number of the last submission that was learned. */
const everything = 'all';

export const fieldStore = (context: SqlContext): FieldStore => {
  const { read } = context;
  return {
    async list(formId) {
      const rows = await read
        .selectFrom('form_fields')
        .selectAll()
        .where('form_id', '=', formId)
        .orderBy('first_seen_at')
        .orderBy('place')
        .orderBy('name')
        .limit(maxObservedNames)
        .execute();
      return rows.map((row) => ({
        name: JSON.parse(row.name) as string,
        kinds: row.kinds,
        firstSeenAt: row.first_seen_at,
        lastSeenAt: row.last_seen_at,
      }));
    },

    isComplete: async () => (await findValue(read, learnedName)) === everything,

    async backlog() {
      const learned = (await findValue(read, learnedName)) ?? '0';
      if (learned === everything) return null;
      const { rows } = await sql<{
        seq: number;
        id: string;
        form_id: string;
        data: string;
        files_count: number;
        created_at: number;
        found: number;
      }>`
        SELECT submissions.seq, id, form_id, data, files_count, created_at, found FROM (
          SELECT seq, size, sum(size) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) AS bytes_so_far,
            count(*) OVER () AS found FROM (
            SELECT seq, octet_length(data) AS size FROM submissions
            WHERE seq > ${Number(learned)} ORDER BY seq LIMIT ${pageRows}
          ) AS found
        ) AS page CROSS JOIN submissions
        WHERE submissions.seq = page.seq AND page.bytes_so_far - page.size < ${maxPageBytes}
        ORDER BY submissions.seq`.execute(read);
      const found = rows[0]?.found ?? 0;
      const withFiles = rows.filter((row) => row.files_count > 0).map(({ id }) => id);
      const files =
        withFiles.length === 0
          ? []
          : await read
              .selectFrom('files')
              .select(['submission_id', 'field_name'])
              .where('submission_id', 'in', withFiles)
              .execute();
      return {
        submissions: rows.map((row) => ({
          formId: row.form_id,
          data: row.data,
          createdAt: row.created_at,
          files: files
            .filter((file) => file.submission_id === row.id)
            .map((file) => ({ fieldName: file.field_name })),
        })),
        // Submissions that arrive meanwhile are learned when they are stored. Without an end here, they would be read again and again.
        next: found === rows.length && found < pageRows ? null : (rows.at(-1)?.seq ?? null),
      };
    },

    async learn(fields, next) {
      const insert = fieldInsert(fields);
      await runBatch(context, [
        { sql: insertText(insert), rows: insert.rows },
        {
          sql: 'INSERT INTO instance (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
          rows: [[learnedName, next === null ? everything : String(next)]],
        },
      ]);
    },

    async relearn() {
      if ((await findValue(read, learnedName)) !== null)
        await context.write.deleteFrom('instance').where('name', '=', learnedName).execute();
    },
  };
};
