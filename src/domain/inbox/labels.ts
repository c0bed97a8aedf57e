/** Labels of an account. */
import { inboxLimits } from '../../contract/inbox.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Label, LabelColor } from '../../model/inbox.js';
import { type BoundStore, type Store, StoreConflict } from '../../ports/store.js';
import { record } from '../audit/record.js';

export interface LabelInput {
  readonly name?: string | undefined;
  readonly color?: LabelColor | undefined;
}

export interface LabelService {
  list(who: Principal): Promise<readonly Label[]>;
  create(who: Principal, input: { readonly name: string; readonly color: LabelColor }): Promise<Label>;
  update(who: Principal, id: string, input: LabelInput): Promise<Label>;
  delete(who: Principal, id: string): Promise<void>;
}

const labelObject = ({ id, name }: Label) => ({ kind: 'label', id, name });

/** Runs work whose only possible conflict is the name. */
async function withFreeName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConflict && error.rule === 'unique') throw refuse.labelExists();
    throw error;
  }
}

const find = async (from: BoundStore, { accountId }: Principal, id: string): Promise<Label | null> =>
  (await from.labels.list(accountId)).find((label) => label.id === id) ?? null;

export const createLabelService = ({ store, clock }: { store: Store; clock: Clock }): LabelService => ({
  list: ({ accountId }) => store.labels.list(accountId),

  create: (who, { name, color }) =>
    withFreeName(() =>
      // One transaction, so that two concurrent requests cannot both take the last place.
      store.tx(async (tx) => {
        const { accountId } = who;
        if ((await tx.labels.list(accountId)).length >= inboxLimits.labels)
          throw refuse.tooManyLabels(inboxLimits.labels);
        const createdAt = clock.now();
        const label: Label = { id: newId(createdAt), accountId, name: name.trim(), color, createdAt };
        await tx.labels.create(label);
        record(tx, who, { action: 'label.created', object: labelObject(label), after: label });
        return label;
      }),
    ),

  update: (who, id, { name, color }) =>
    withFreeName(() =>
      store.tx(async (tx) => {
        const settings = { ...(name === undefined ? {} : { name: name.trim() }), ...(color && { color }) };
        const before = await find(tx, who, id);
        const label = before && (await tx.labels.update(who.accountId, id, settings));
        if (!label) throw refuse.labelNotFound();
        record(tx, who, { action: 'label.updated', object: labelObject(label), before, after: label });
        return label;
      }),
    ),

  delete: (who, id) =>
    store.tx(async (tx) => {
      const before = await find(tx, who, id);
      if (!before || !(await tx.labels.delete(who.accountId, id))) throw refuse.labelNotFound();
      record(tx, who, { action: 'label.deleted', object: labelObject(before), before });
    }),
});
