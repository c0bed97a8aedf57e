import { describe, expect, it } from 'vitest';
import type { InboxState } from '../../model/inbox.js';
import { planUndo } from './undo.js';

const state = (id: string, some: Partial<InboxState> = {}): InboxState => ({
  ...{ id, formId: 'f', projectId: 'p', folder: 'inbox', trashedAt: null, isRead: false, isStarred: false },
  ...{ assigneeId: null, labels: [], notesCount: 0, ...some },
});
const label = (id: string) => ({ id, name: id, color: 'gray' }) as const;

describe('what undoes a change', () => {
  it('sets back only what was different', () => {
    const before = [
      state('same', {
        folder: 'trash',
        isRead: true,
        isStarred: true,
        assigneeId: 'u',
        labels: [label('a')],
      }),
      state('other', { labels: [label('b')] }),
    ];
    const change = { folder: 'trash', isRead: true, isStarred: true, assigneeId: 'u' } as const;
    expect(planUndo(before, { ...change, addLabels: ['a'], removeLabels: ['b'] })).toEqual([
      {
        ids: ['other'],
        change: {
          ...{ folder: 'inbox', isRead: false, isStarred: false, assigneeId: null },
          ...{ addLabels: ['b'], removeLabels: ['a'] },
        },
      },
    ]);
  });

  it('is one for all that stood alike', () => {
    const before = [
      state('1'),
      state('2', { folder: 'archive' }),
      state('3'),
      state('4', { folder: 'spam' }),
    ];
    expect(planUndo(before, { folder: 'spam' })).toEqual([
      { ids: ['1', '3'], change: { folder: 'inbox' } },
      { ids: ['2'], change: { folder: 'archive' } },
    ]);
  });

  it('has no reading for a program, which has read nothing', () => {
    expect(planUndo([state('1', { isRead: null })], { isRead: true })).toEqual([]);
  });
});
