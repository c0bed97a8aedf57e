/** The inbox: moving submissions between folders, reading, starring, assigning and labelling them. */
import { inboxLimits } from '../../contract/inbox.js';
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal, PrincipalInPerson } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { type InboxChange, type InboxState, isSetAside, mostUnread } from '../../model/inbox.js';
import type { Signals } from '../../ports/signals.js';
import type { BoundStore, Store, TallyScope } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import type { PublishChange } from './publish-change.js';
import { planUndo, type Undo } from './undo.js';

/** Read marks are personal and not recorded; opening a submission is recorded as a view. */
const isRecorded = ({ isRead: _, ...change }: InboxChange): boolean =>
  Object.values(change).some((value) => value !== undefined);

const recordedState = ({ folder, isStarred, assigneeId, labels }: InboxState) => ({
  ...{ folder, isStarred, assigneeId },
  labels: labels.map(({ name }) => name),
});

export interface Changed {
  readonly before: InboxState;
  readonly after: InboxState;
}

/** A change of a single submission can name all the labels that it has from now on. */
export type SingleChange = Omit<InboxChange, 'addLabels' | 'removeLabels'> & {
  readonly labels?: readonly string[] | undefined;
};

export interface Unread {
  readonly forms: readonly { readonly formId: string; readonly unread: number }[];
  readonly total: number;
}

export interface InboxService {
  /** The states of these submissions as the caller sees them, by id. */
  states(who: Principal, ids: readonly string[]): Promise<ReadonlyMap<string, InboxState>>;
  update(who: Principal, id: string, change: SingleChange): Promise<Changed>;
  /** Changes those that exist, all in one transaction. */
  updateSome(
    who: Principal,
    ids: readonly string[],
    change: InboxChange,
  ): Promise<{ readonly updated: number; readonly undo: readonly Undo[] }>;
  /** Marks everything that is there now as read by the user. */
  readAll(
    who: PrincipalInPerson,
    owner: { formId?: string | undefined; projectId?: string | undefined },
  ): Promise<void>;
  unread(who: PrincipalInPerson): Promise<Unread>;
}

const invalid = (path: string, message: string) => refuse.invalidBody([{ path, message }]);

export function createInboxService(deps: {
  store: Store;
  forms: FormService;
  projects: ProjectService;
  signals: Signals;
  clock: Clock;
  publishChange: PublishChange;
}): InboxService {
  const { store, forms, projects, signals, clock, publishChange } = deps;

  /** Inside the transaction that makes the change: what the change names must still exist then. */
  const check = async (
    tx: BoundStore,
    { accountId, userId }: Principal,
    { isRead, assigneeId, addLabels = [], removeLabels = [] }: InboxChange,
    pathOf: (field: string) => string,
  ): Promise<void> => {
    if (isRead !== undefined && userId === null)
      throw invalid(pathOf('is_read'), 'is set by a signed-in user, not with an API key');
    if (assigneeId && !(isUuid(assigneeId) && (await tx.users.find(accountId, assigneeId))))
      throw invalid(pathOf('assignee_id'), 'is not a user of this account');
    if (removeLabels.some((id) => addLabels.includes(id)))
      throw invalid(pathOf('remove_labels'), 'has a label that is also in add_labels');
    if (addLabels.length === 0) return;
    const known = new Set((await tx.labels.list(accountId)).map(({ id }) => id));
    if (!addLabels.every((id) => known.has(id)))
      throw invalid(pathOf('add_labels'), 'has a label that does not exist');
  };

  const checkCount = (before: readonly InboxState[], { addLabels = [], removeLabels = [] }: InboxChange) => {
    if (addLabels.length === 0) return;
    for (const { labels } of before) {
      const kept = labels.map(({ id }) => id).filter((id) => !removeLabels.includes(id));
      if (new Set([...kept, ...addLabels]).size > inboxLimits.labelsPerSubmission)
        throw refuse.tooManyLabelsOnSubmission(inboxLimits.labelsPerSubmission);
    }
  };

  /** An unconfirmed submission reaches the inbox only by a confirmation, which leaves evidence. */
  const checkMove = (before: readonly InboxState[], { folder }: InboxChange): void => {
    if (folder !== undefined && before.some((state) => state.folder === 'unconfirmed'))
      throw refuse.submissionUnconfirmed();
  };

  /** Runs after the commit. */
  const announce = (who: Principal, before: readonly InboxState[], { folder }: InboxChange): void => {
    const comesBack = folder !== undefined && !isSetAside(folder);
    if (comesBack && before.some((state) => isSetAside(state.folder)))
      signals.publish({ kind: 'deliveries-ready', lanes: [] });
    publishChange(who, before);
  };

  const scopeOf = async (
    who: Principal,
    { formId, projectId }: { formId?: string | undefined; projectId?: string | undefined },
  ): Promise<TallyScope> => {
    if (formId !== undefined && projectId !== undefined)
      throw invalid('project_id', 'must not be given together with form_id');
    if (formId !== undefined) return { kind: 'form', formId: (await forms.get(who, formId)).form.id };
    if (projectId !== undefined)
      return { kind: 'project', projectId: (await projects.get(who, projectId)).id };
    return { kind: 'account', reach: who };
  };

  return {
    async states(who, ids) {
      const found = await store.inbox.states(who, who.userId, ids);
      return new Map(found.map((state) => [state.id, state]));
    },

    async update(who, id, { labels, ...rest }) {
      const { userId } = who;
      const { changed, change } = await store.tx(async (tx) => {
        const [before] = isUuid(id) ? await tx.inbox.states(who, userId, [id]) : [];
        if (!before) throw refuse.submissionNotFound();
        checkMove([before], rest);
        const had = before.labels.map((label) => label.id);
        const change: InboxChange = {
          ...rest,
          ...(labels && {
            addLabels: labels.filter((label) => !had.includes(label)),
            removeLabels: had.filter((label) => !labels.includes(label)),
          }),
        };
        await check(tx, who, change, (field) => (field === 'add_labels' ? 'labels' : field));
        await tx.inbox.change(who, userId, [id], change, clock.now());
        const [after = before] = await tx.inbox.states(who, userId, [id]);
        if (isRecorded(change))
          record(tx, who, {
            ...{ action: 'submission.updated', object: { kind: 'submission', id } },
            ...{ before: recordedState(before), after: recordedState(after) },
          });
        return { changed: { before, after }, change };
      });
      announce(who, [changed.before], change);
      return changed;
    },

    async updateSome(who, ids, change) {
      const { userId } = who;
      const named = [...new Set(ids.filter(isUuid))];
      const before = await store.tx(async (tx) => {
        await check(tx, who, change, (field) => `change.${field}`);
        const found = await tx.inbox.states(who, userId, named);
        checkMove(found, change);
        checkCount(found, change);
        if (found.length > 0) await tx.inbox.change(who, userId, named, change, clock.now());
        if (found.length > 0 && isRecorded(change))
          record(tx, who, {
            ...{ action: 'submissions.updated', object: { kind: 'submissions', id: null } },
            after: { ...change, isRead: undefined, submissions: found.map(({ id }) => id) },
          });
        return found;
      });
      announce(who, before, change);
      return { updated: before.length, undo: planUndo(before, change) };
    },

    async readAll(who, owner) {
      const changed = await store.inbox.readAll(who.userId, await scopeOf(who, owner));
      const { accountId } = who;
      for (const place of changed)
        signals.publish({ kind: 'submissions-changed', accountId, ...place, submissionIds: [] });
    },

    async unread(who) {
      const found = await store.inbox.unread(who, who.userId, mostUnread);
      return { forms: found, total: found.reduce((sum, { unread }) => sum + unread, 0) };
    },
  };
}
