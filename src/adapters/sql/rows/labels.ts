/** Labels as rows. */
import type { Label } from '../../../model/inbox.js';
import { labelKey } from '../../../model/inbox.js';
import type { LabelStore } from '../../../ports/inbox.js';
import { changesAny, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';

const labels = mapped<Label>()('id accountId name color createdAt');

export const labelStore = ({ read, write }: SqlContext): LabelStore => ({
  async create(label) {
    await write
      .insertInto('labels')
      .values({ ...labels.toRow(label), name_key: labelKey(label.name) })
      .execute();
  },
  async list(accountId) {
    const rows = await read
      .selectFrom('labels')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('name_key')
      .execute();
    return rows.map(labels.toNoun);
  },
  async update(accountId, id, { name, color }) {
    const set = {
      ...(name === undefined ? {} : { name, name_key: labelKey(name) }),
      ...(color === undefined ? {} : { color }),
    };
    if (Object.keys(set).length > 0)
      await write
        .updateTable('labels')
        .set(set)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
    const row = await read
      .selectFrom('labels')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? labels.toNoun(row) : null;
  },
  delete: (accountId, id) =>
    changesAny(write.deleteFrom('labels').where('account_id', '=', accountId).where('id', '=', id)),
});
