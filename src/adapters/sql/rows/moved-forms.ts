/** A form moves to another project at once; its submissions, which may be a million, follow in steps. */
import { type Kysely, sql } from 'kysely';
import type { Form } from '../../../model/form.js';
import { atomically, type SqlContext } from '../context.js';
import type { Schema } from '../schema.js';

/** Submissions per step, about 20 ms: visitors' commits wait for one step at most. */
const stepRows = 200;
/** Their words are indexed again. A large submission gets a step of its own. */
const stepBytes = 64 * 1024;

export async function moveForm(
  { engine }: SqlContext,
  db: Kysely<Schema>,
  id: string,
  { projectId, slug, updatedAt }: Pick<Form, 'projectId' | 'slug' | 'updatedAt'>,
): Promise<void> {
  // With this lock, a commit of the form's submissions is either done, or waits and then reads the new project.
  await db
    .selectFrom('forms')
    .select('id')
    .where('id', '=', id)
    .$if(engine.rowLock !== '', (query) => query.forUpdate())
    .execute();
  await db
    .updateTable('forms')
    .set({ project_id: projectId, slug, updated_at: updatedAt, moved_up_to: '' })
    .where('id', '=', id)
    .execute();
  await db.updateTable('destinations').set({ project_id: projectId }).where('form_id', '=', id).execute();
}

type Moving = Pick<Schema['forms'], 'id' | 'project_id'> & { readonly moved_up_to: string };

/** The next submissions by id: the first one, and as many more as fit into a step. */
async function nextOf(db: Kysely<Schema>, { id, moved_up_to }: Moving): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT id, size, sum(size) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS bytes_so_far FROM (
        SELECT id, octet_length(data) AS size FROM submissions
        WHERE form_id = ${id} AND id > ${moved_up_to} ORDER BY id LIMIT ${sql.lit(stepRows)}
      ) AS next
    ) AS weighed WHERE bytes_so_far = size OR bytes_so_far <= ${sql.lit(stepBytes)} ORDER BY id`.execute(db);
  return rows.map((row) => row.id);
}

export async function moveStep(context: SqlContext): Promise<boolean> {
  const form = await context.read
    .selectFrom('forms')
    .select(['id', 'project_id', 'moved_up_to'])
    .where('moved_up_to', 'is not', null)
    .where('deleted_at', 'is', null)
    .limit(1)
    .$narrowType<{ moved_up_to: string }>()
    .executeTakeFirst();
  if (!form) return false;
  await atomically(context, async (db) => {
    const ids = await nextOf(db, form);
    const { numUpdatedRows } = await db
      .updateTable('forms')
      .set({ moved_up_to: ids.at(-1) ?? null })
      .where('id', '=', form.id)
      // Not if the form was moved again meanwhile, or another process has done this step.
      .where('project_id', '=', form.project_id)
      .where('moved_up_to', '=', form.moved_up_to)
      .executeTakeFirst();
    if (numUpdatedRows === 0n || ids.length === 0) return;
    await context.engine.moveToProject(db, ids, form.project_id);
    await db
      .updateTable('files')
      .set({ project_id: form.project_id })
      .where('submission_id', 'in', ids)
      .execute();
  });
  return true;
}
