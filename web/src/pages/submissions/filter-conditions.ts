/** The filters of a submission list that have a fixed set of values. */

import { type FilterParams, type ShownFolder, writeParams } from '../../inbox/filter-params.js';
import { useLabels } from '../../inbox-queries.js';
import { useUsers } from '../../queries.js';
import { useIsOfAccount, useSession } from '../../session.js';
import type { Choice } from '../../ui/choice-list.js';
import * as states from '../../words/states.js';
import * as words from '../../words/submissions.js';
import { folderNames } from './list-words.js';

type Change = Partial<FilterParams>;

export interface ConditionChoice extends Choice {
  readonly change: Change;
}

export interface Condition extends Choice {
  readonly choices: readonly ConditionChoice[];
  /** The current value in words; null: not set. */
  readonly value: string | null;
  readonly unset: Change;
}

const folders: readonly ShownFolder[] = ['inbox', 'archive', 'kept', 'spam', 'trash', 'unconfirmed', 'all'];

/** A label or user that is not loaded yet, or was deleted. */
const unknown = '…';

function conditionOf(
  params: FilterParams,
  [key, label]: readonly [key: string, label: string],
  unset: Change,
  values: readonly (readonly [label: string, change: Change])[],
): Condition {
  const address = (change: Change): string => String(writeParams({ ...params, ...change }));
  const now = address({});
  const choices = values.map(([value, change], at) => ({
    key: String(at),
    label: value,
    change,
    isChosen: address(change) === now,
  }));
  const value = address(unset) === now ? null : (choices.find(({ isChosen }) => isChosen)?.label ?? unknown);
  return { key, label, choices, value, unset };
}

/** All conditions. Those without choices are left out unless they are set. */
export function useConditions(params: FilterParams, hasDeliveries: boolean): readonly Condition[] {
  const labels = useLabels().data ?? [];
  const users = useUsers().data ?? [];
  const me = useSession().data?.user.id;
  const isOfAccount = useIsOfAccount();
  const { assignee: asked } = params;
  const people = new Map([
    // A link or view may name the signed-in user by id instead of `me`.
    [asked !== null && asked === me ? asked : 'me', words.me],
    ...users.filter(({ id }) => id !== me).map(({ id, email }) => [id, email] as const),
    ['none', words.nobody],
  ]);
  // An assignee named by a link, for users who cannot see the other users.
  if (asked !== null && !people.has(asked)) people.set(asked, isOfAccount ? unknown : words.somebodyElse);
  const conditions = [
    conditionOf(
      params,
      ['folder', words.folder],
      { folder: 'inbox' },
      folders.map((folder) => [folderNames[folder], { folder }]),
    ),
    conditionOf(params, ['read', words.filterRead], { isRead: null }, [
      [words.unread, { isRead: false }],
      [words.onlyRead, { isRead: true }],
    ]),
    conditionOf(params, ['star', words.filterStar], { isStarred: null }, [
      [words.starred, { isStarred: true }],
      [words.notStarred, { isStarred: false }],
    ]),
    conditionOf(
      params,
      ['label', words.label],
      { label: null },
      labels.map(({ id, name }) => [name, { label: id }]),
    ),
    conditionOf(
      params,
      ['assignee', words.filterAssignee],
      { assignee: null },
      [...people].map(([assignee, name]) => [name, { assignee }]),
    ),
    conditionOf(
      params,
      ['delivery', words.delivery],
      { state: null },
      hasDeliveries || params.state !== null
        ? [
            [states.delivered, { state: 'delivered' }],
            [states.waiting, { state: 'pending' }],
            [states.failed, { state: 'failed' }],
          ]
        : [],
    ),
  ];
  return conditions.filter(({ choices, value }) => choices.length > 0 || value !== null);
}
