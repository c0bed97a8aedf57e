/** Labels of an account. */
import { inboxLimits } from '../../contract/inbox.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Label, LabelColor } from '../../model/inbox.js';
import { type Store, StoreConflict } from '../../ports/store.js';

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

/** The work, whose conflict can only be the name. */
async function withFreeName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConflict && error.rule === 'unique') throw refuse.labelExists();
    throw error;
  }
}

export const createLabelService = ({ store, clock }: { store: Store; clock: Clock }): LabelService => ({
  list: ({ accountId }) => store.labels.list(accountId),

  create: ({ accountId }, { name, color }) =>
    withFreeName(() =>
      // One transaction: two requests at once cannot both take the last place.
      store.tx(async (tx) => {
        if ((await tx.labels.list(accountId)).length >= inboxLimits.labels)
          throw refuse.tooManyLabels(inboxLimits.labels);
        const createdAt = clock.now();
        const label: Label = { id: newId(createdAt), accountId, name: name.trim(), color, createdAt };
        await tx.labels.create(label);
        return label;
      }),
    ),

  async update({ accountId }, id, { name, color }) {
    const settings = { ...(name === undefined ? {} : { name: name.trim() }), ...(color && { color }) };
    const label = await withFreeName(() => store.labels.update(accountId, id, settings));
    if (!label) throw refuse.labelNotFound();
    return label;
  },

  async delete({ accountId }, id) {
    if (!(await store.labels.delete(accountId, id))) throw refuse.labelNotFound();
  },
});
