/** Quarantined spam as rows. The batch of `commit` inserts it, together with submissions. */
import { sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import type { Quarantined } from '../../../model/quarantine.js';
import type { SubmissionMetadata } from '../../../model/submission.js';
import type { QuarantineStore } from '../../../ports/store.js';
import { changesAny, type SqlContext } from '../context.js';
import { maxPageBytes, type SqlValue } from '../engine.js';
import { mapped } from '../mapping.js';
import { inReach } from '../reach.js';
import type { QuarantinedRow } from '../schema.js';
import { formsIn } from './forms-in.js';

type Flat = Omit<Quarantined, 'metadata'> & SubmissionMetadata & { readonly size: number };

const flat = mapped<Flat>()(
  'id formId projectId data ip userAgent submittedFrom controlFields field filesDropped size createdAt',
);
export const quarantinedColumns = flat.columns;
export const quarantinedValues = (held: Quarantined): readonly SqlValue[] =>
  flat.values({ ...held, ...held.metadata, size: held.data.length });

/** Includes the project that the form is in now. */
type FoundRow = QuarantinedRow & { readonly project_now: string };

function toQuarantined(row: FoundRow): Quarantined {
  const { ip, userAgent, submittedFrom, controlFields, size: _, ...rest } = flat.toNoun(row);
  return { ...rest, projectId: row.project_now, metadata: { ip, userAgent, submittedFrom, controlFields } };
}

export const quarantineStore = ({ read, write }: SqlContext): QuarantineStore => ({
  async find(reach, id) {
    const row = await read
      .selectFrom('quarantined')
      .innerJoin('forms', 'forms.id', 'quarantined.form_id')
      .innerJoin('projects', 'projects.id', 'forms.project_id')
      .selectAll('quarantined')
      .select('forms.project_id as project_now')
      .where('quarantined.id', '=', id)
      .where(inReach(reach))
      .where('forms.deleted_at', 'is', null)
      .executeTakeFirst();
    return row ? toQuarantined(row) : null;
  },

  async list(reach, formId, page) {
    // Finds the ids first: reading data that is not shown took 0.8 s with 180 MB in quarantine.
    const newest = sql`
      SELECT quarantined.id, quarantined.size FROM quarantined
      JOIN forms ON forms.id = quarantined.form_id
      JOIN projects ON projects.id = forms.project_id
      WHERE ${inReach(reach)} AND forms.deleted_at IS NULL
        ${formId === null ? sql`` : sql`AND quarantined.form_id = ${formId}`}
        ${page.after === null ? sql`` : sql`AND quarantined.id < ${page.after}`}
      ORDER BY quarantined.id DESC LIMIT ${page.limit + 1}`;
    const { rows } = await sql<FoundRow & { bytes_so_far: number }>`
      SELECT quarantined.*, forms.project_id AS project_now, page.bytes_so_far FROM (
        SELECT id, size, sum(size) OVER (ORDER BY id DESC) AS bytes_so_far FROM (${newest}) AS found
      ) AS page JOIN quarantined ON quarantined.id = page.id
      JOIN forms ON forms.id = quarantined.form_id
      WHERE page.bytes_so_far - page.size < ${maxPageBytes} ORDER BY quarantined.id DESC`.execute(read);
    const shown = rows.slice(0, page.limit);
    const isCut = rows.length > page.limit || (rows.at(-1)?.bytes_so_far ?? 0) >= maxPageBytes;
    return { items: shown.map(toQuarantined), next: isCut ? (shown.at(-1)?.id ?? null) : null };
  },

  remove: (id) => changesAny(write.deleteFrom('quarantined').where('id', '=', id)),

  async removeSome(reach, ids) {
    if (ids.length === 0) return 0;
    const done = await write
      .deleteFrom('quarantined')
      .where('id', 'in', ids)
      .where('form_id', 'in', formsIn(write, { kind: 'account', reach }))
      .executeTakeFirst();
    return Number(done.numDeletedRows);
  },

  async removeOldest(reach, formId, before, most) {
    const oldest = write
      .selectFrom('quarantined')
      .select('quarantined.id')
      .where('form_id', 'in', formsIn(write, { kind: 'account', reach }))
      .$if(formId !== null, (query) => query.where('form_id', '=', formId))
      .where('id', '<', lowestIdAt(before))
      .orderBy('id')
      .limit(most);
    const done = await write.deleteFrom('quarantined').where('id', 'in', oldest).executeTakeFirst();
    return Number(done.numDeletedRows);
  },
});
