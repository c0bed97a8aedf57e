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

  /** Throws unless the form and the project belong to the account. */
  const withPlace = async (who: Principal, input: ViewInput): Promise<ViewInput> => {
    const { formId, projectId } = input;
    return {
      ...input,
      formId: typeof formId === 'string' ? (await forms.get(who, formId)).form.id : formId,
      projectId: typeof projectId === 'string' ? (await projects.get(who, projectId)).id : projectId,
    };
  };

  const applied = (who: Principal, view: SavedView, input: ViewInput): SavedView => {
    const { name, formId = view.formId, projectId = view.projectId, query, position } = input;
    if (formId !== null && projectId !== null)
      throw refuse.invalidBody([{ path: 'project_id', message: 'must be null if form_id is set' }]);
    // A view of all forms needs access to the whole account.
    if (formId === null && projectId === null && who.projectIds !== null)
      throw refuse.accountAccessRequired();
    return {
      ...view,
      formId,
      projectId,
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
      const blank = { id: newId(createdAt), accountId, ...empty };
      const made = applied(who, blank, await withPlace(who, input));
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
      const changes = await withPlace(who, input);
      return store.tx(async (tx) => {
        const before = await tx.views.find(who, id);
        const view = before && applied(who, before, changes);
        if (!view || !(await tx.views.update(view))) throw refuse.viewNotFound();
        record(tx, who, { action: 'view.updated', object: viewObject(view), before, after: view });
        return view;
      });
    },

    delete: (who, id) =>
      store.tx(async (tx) => {
        const view = await tx.views.find(who, id);
        if (!view || !(await tx.views.delete(who, id))) throw refuse.viewNotFound();
        record(tx, who, { action: 'view.deleted', object: viewObject(view), before: view });
      }),
  };
}
