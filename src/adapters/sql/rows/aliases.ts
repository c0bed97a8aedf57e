/** Aliases of forms as rows. */
import type { Kysely } from 'kysely';
import type { FormAlias } from '../../../model/alias.js';
import type { Reach } from '../../../model/reach.js';
import { type AliasStore, StoreConflict } from '../../../ports/store.js';
import { atomically, changesAny, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import { inReach } from '../reach.js';
import type { Schema } from '../schema.js';

const aliases = mapped<FormAlias>()('id alias formId createdAt');

/** The form, if it is in the reach and not deleted. */
const ownForm = (db: Kysely<Schema>, reach: Reach, formId: string) =>
  db
    .selectFrom('forms')
    .innerJoin('projects', 'projects.id', 'forms.project_id')
    .select('forms.id')
    .where('forms.id', '=', formId)
    .where(inReach(reach))
    .where('forms.deleted_at', 'is', null);

const isFormId = async (db: Kysely<Schema>, text: string): Promise<boolean> => {
  const form = await db
    .selectFrom('forms')
    .select('id')
    .where((e) => e.or([e('id', '=', text), e('public_id', '=', text)]))
    .executeTakeFirst();
  return form !== undefined;
};

export const aliasStore = (context: SqlContext): AliasStore => {
  const { read, write } = context;
  const ofForm = (reach: Reach, formId: string) =>
    read.selectFrom('form_aliases').where('form_id', 'in', ownForm(read, reach, formId));
  return {
    add: (reach, alias) =>
      atomically(context, async (db) => {
        // The old endpoint of a deleted form must not lead to another form either.
        if (await isFormId(db, alias.alias)) throw new StoreConflict('unique');
        const form = await ownForm(db, reach, alias.formId).executeTakeFirst();
        if (!form) throw new StoreConflict('reference');
        await db.insertInto('form_aliases').values(aliases.toRow(alias)).execute();
      }),
    async count(reach, formId) {
      const row = await ofForm(reach, formId)
        .select((e) => e.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return Number(row.n);
    },
    async list(reach, formId, page) {
      let query = ofForm(reach, formId).selectAll().orderBy('id');
      if (page) query = query.limit(page.limit);
      if (page?.after) query = query.where('id', '>', page.after);
      return (await query.execute()).map(aliases.toNoun);
    },
    remove: (reach, formId, alias) =>
      changesAny(
        write
          .deleteFrom('form_aliases')
          .where('alias', '=', alias)
          .where('form_id', 'in', ownForm(write, reach, formId)),
      ),
  };
};
