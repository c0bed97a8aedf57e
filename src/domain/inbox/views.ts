/** Saved views: named filters of the list, shared by the whole account. */

import { inboxLimits } from '../../contract/inbox.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { SavedView } from '../../model/inbox.js';
import { wholeAccount } from '../../model/reach.js';
import type { Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';

/** Missing fields stay as they are. */
export interface ViewInput {
  readonly name?: string | undefined;
  readonly formId?: string | null | undefined;
  readonly projectId?: string | null | undefined;
  readonly query?: string | undefined;
  readonly position?: number | undefined;
}

export interface ViewService {
  list(who: Principal): Promise<readonly SavedView[]>;
  create(who: Principal, input: ViewInput & { readonly name: string }): Promise<SavedView>;
  update(who: Principal, id: string, input: ViewInput): Promise<SavedView>;
  delete(who: Principal, id: string): Promise<void>;
}

const viewObject = ({ id, name }: SavedView) => ({ kind: 'view', id, name });

export function createViewService(deps: {
  store: Store;
  clock: Clock;
  forms: FormService;
  projects: ProjectService;
}): ViewService {
  const { store, clock, forms, projects } = deps;

  /** Applies the changes to the view. Throws unless the form and the project belong to the account. */
  const applied = async (who: Principal, view: SavedView, input: ViewInput): Promise<SavedView> => {
    const { name, formId, projectId, query, position } = input;
    const place = {
      formId: formId ? (await forms.get(who, formId)).form.id : formId === null ? null : view.formId,
      projectId: projectId
        ? (await projects.get(who, projectId)).id
        : projectId === null
          ? null
          : view.projectId,
    };
    if (place.formId !== null && place.projectId !== null)
      throw refuse.invalidBody([{ path: 'project_id', message: 'must be null if form_id is set' }]);
    // A view of all forms needs access to the whole account.
    if (place.formId === null && place.projectId === null && who.projectIds !== null)
      throw refuse.accountAccessRequired();
    return {
      ...view,
      ...place,
      name: name?.trim() ?? view.name,
      query: query ?? view.query,
      position: position ?? view.position,
    };
  };

  return {
    list: (who) => store.views.list(who),

    async create(who, input) {
      const { accountId } = who;
      const createdAt = clock.now();
      const empty = { name: '', formId: null, projectId: null, query: '{}', position: -1, createdAt };
      const made = await applied(who, { id: newId(createdAt), accountId, ...empty }, input);
      return store.tx(async (tx) => {
        const known = await tx.views.list(wholeAccount(accountId));
        if (known.length >= inboxLimits.views) throw refuse.tooManyViews(inboxLimits.views);
        // Last, unless a position was given.
        const last = known.reduce((highest, { position }) => Math.max(highest, position), -1);
        const view = made.position < 0 ? { ...made, position: last + 1 } : made;
        await tx.views.create(view);
        record(tx, who, { action: 'view.created', object: viewObject(view), after: view });
        return view;
      });
    },

    async update(who, id, input) {
      const known = await store.views.find(who, id);
      if (!known) throw refuse.viewNotFound();
      const view = await applied(who, known, input);
      await store.tx(async (tx) => {
        await tx.views.update(view);
        record(tx, who, { action: 'view.updated', object: viewObject(view), before: known, after: view });
      });
      return view;
    },

    delete: (who, id) =>
      store.tx(async (tx) => {
        const view = await tx.views.find(who, id);
        if (!view || !(await tx.views.delete(who, id))) throw refuse.viewNotFound();
        record(tx, who, { action: 'view.deleted', object: viewObject(view), before: view });
      }),
  };
}
