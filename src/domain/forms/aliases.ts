/** Aliases of forms, managed by their owner. Each belongs to one form of the instance. */
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import {
  aliasOf,
  type FormAlias,
  isServicePath,
  maxAliasesPerForm,
  maxAliasLength,
} from '../../model/alias.js';
import { refuse } from '../../model/errors.js';
import type { Signals } from '../../ports/signals.js';
import { type BoundStore, type Page, type Store, StoreConflict } from '../../ports/store.js';
import { record } from '../audit/record.js';

export interface AliasService {
  list(who: Principal, idOrPublicId: string, page: Page | null): Promise<readonly FormAlias[]>;
  add(who: Principal, idOrPublicId: string, text: string): Promise<FormAlias>;
  remove(who: Principal, idOrPublicId: string, text: string): Promise<void>;
}

function readAlias(text: string): string {
  const refuseWith = (message: string) => refuse.invalidBody([{ path: 'alias', message }]);
  const alias = aliasOf(text);
  if (alias === null)
    throw refuseWith(`must have 1 to ${maxAliasLength} characters, and no control characters`);
  if (isServicePath(alias)) throw refuseWith('is a path of this service; choose another alias');
  return alias;
}

export function createAliasService(deps: { store: Store; clock: Clock; signals: Signals }): AliasService {
  const { store, clock, signals } = deps;

  const formIdOf = async (from: BoundStore, who: Principal, idOrPublicId: string): Promise<string> => {
    const found = await from.forms.find(who, idOrPublicId);
    if (!found) throw refuse.formNotFound();
    return found.form.id;
  };

  /** One transaction, so that two concurrent requests cannot both take the last place. */
  const insert = (who: Principal, idOrPublicId: string, alias: string): Promise<FormAlias> =>
    store.tx(async (tx) => {
      const formId = await formIdOf(tx, who, idOrPublicId);
      if ((await tx.aliases.count(who, formId)) >= maxAliasesPerForm)
        throw refuse.tooManyAliases(maxAliasesPerForm);
      const now = clock.now();
      const made: FormAlias = { id: newId(now), alias, formId, createdAt: now };
      await tx.aliases.add(who, made);
      record(tx, who, { action: 'alias.created', object: { kind: 'form', id: formId }, after: { alias } });
      return made;
    });

  return {
    async list(who, idOrPublicId, page) {
      const formId = await formIdOf(store, who, idOrPublicId);
      return store.aliases.list(who, formId, page);
    },

    async add(who, idOrPublicId, text) {
      try {
        const added = await insert(who, idOrPublicId, readAlias(text));
        signals.publish({ kind: 'intake-changed' });
        return added;
      } catch (error) {
        if (error instanceof StoreConflict && error.rule === 'unique') throw refuse.aliasTaken();
        throw error;
      }
    },

    async remove(who, idOrPublicId, text) {
      const alias = aliasOf(text);
      await store.tx(async (tx) => {
        const formId = await formIdOf(tx, who, idOrPublicId);
        if (alias === null || !(await tx.aliases.remove(who, formId, alias))) throw refuse.aliasNotFound();
        record(tx, who, { action: 'alias.deleted', object: { kind: 'form', id: formId }, before: { alias } });
      });
      signals.publish({ kind: 'intake-changed' });
    },
  };
}
