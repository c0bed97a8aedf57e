import { describe, expect, it } from 'vitest';
import type { Label, Submission } from '../wire.js';
import {
  afterChange,
  isShown,
  type Pages,
  pageOfRow,
  withChange,
  withFormer,
  withLightPages,
  without,
  withReread,
} from './held-lists.js';

const row = (id: string, more: Partial<Submission> = {}): Submission => ({
  id,
  data: {},
  files: [],
  form_id: 'f',
  project_id: 'p',
  metadata: { ip: '', user_agent: '', submitted_from: '' },
  created_at: '2026-11-01T00:00:00.000Z',
  folder: 'inbox',
  is_read: false,
  is_starred: false,
  labels: [],
  ...more,
});
const label = (id: string, name: string): Label => ({ id, name, color: 'red', created_at: '' });
const list = (...pages: readonly (readonly string[])[]): Pages => ({
  pages: pages.map((ids) => ({ data: ids.map((id) => row(id)), next_cursor: null })),
  pageParams: pages.map((_, place) => (place === 0 ? null : `c${place}`)),
});
const idsOf = (pages: Pages | null) => pages?.pages.map(({ data }) => data.map(({ id }) => id));
const inInbox = { askedFolder: 'inbox', known: [] };

describe('a change', () => {
  it('shows in the rows', () => {
    const changed = withChange(list(['1', '2'], ['3']), new Set(['2', '3']), { is_starred: true }, inInbox);
    expect(changed.pages.map(({ data }) => data.map(({ is_starred }) => is_starred))).toEqual([
      [false, true],
      [true],
    ]);
  });

  it('takes out what leaves the folder of the list, and only that', () => {
    const move = (folder: 'archive' | 'trash', askedFolder: string | undefined) =>
      idsOf(withChange(list(['1', '2']), new Set(['2']), { folder }, { askedFolder, known: [] }));
    expect(move('archive', 'inbox')).toEqual([['1']]);
    expect(move('archive', undefined)).toEqual([['1', '2']]);
    expect(move('trash', undefined)).toEqual([['1']]);
    expect(move('trash', 'all')).toEqual([['1', '2']]);
  });

  it('adds labels by name and removes them', () => {
    const known = [label('a', 'Urgent'), label('b', 'Billing')];
    const both = afterChange(row('1'), { add_labels: ['a', 'b'] }, known);
    expect(both.labels?.map(({ name }) => name)).toEqual(['Billing', 'Urgent']);
    expect(afterChange(both, { remove_labels: ['a'] }, known).labels?.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('a change that is taken back', () => {
  const before = list(['1', '2', '3'], ['4']);

  it('puts rows where they were, below what came since', () => {
    const now = without(before, new Set(['2', '4']));
    const [first, ...rest] = now.pages;
    const later = {
      ...now,
      pages: [{ data: [row('0'), ...(first?.data ?? [])], next_cursor: null }, ...rest],
    };
    expect(idsOf(withFormer(later, before, new Set(['2', '4'])))).toEqual([['0', '1', '2', '3'], ['4']]);
  });

  it('leaves out what others removed meanwhile', () => {
    const now = without(before, new Set(['1', '2']));
    expect(idsOf(withFormer(now, before, new Set(['2'])))).toEqual([['2', '3'], ['4']]);
  });

  it('gives up on a list that has begun anew', () => {
    expect(withFormer(list(['1']), before, new Set(['2']))).toBeNull();
  });
});

it.each([
  ['inbox', undefined, true],
  ['archive', undefined, true],
  ['spam', undefined, false],
  ['trash', 'trash', true],
  ['inbox', 'archive', false],
  ['spam', 'all', true],
] as const)('%s in a list of %s: %s', (folder, asked, isIn) => {
  expect(isShown(folder, asked)).toBe(isIn);
});

describe('a page that was read again', () => {
  const pages = list(['9', '8', '7'], ['6', '5']);
  const read = (ids: readonly string[], next: string | null) => ({
    data: ids.map((id) => row(id, { is_starred: true })),
    next_cursor: next,
  });

  it('has its rows as they are now, without those that are gone', () => {
    const now = withReread(pages, 0, read(['9', '7', '6'], 'c'), true);
    expect(idsOf(now)).toEqual([
      ['9', '7'],
      ['6', '5'],
    ]);
    expect(now.pages[0]?.data[0]?.is_starred).toBe(true);
    expect(now.pages[1]?.data[0]?.is_starred).toBe(false);
  });

  it('keeps what lies below what was read', () => {
    expect(idsOf(withReread(pages, 0, read(['a', '9', '8'], 'c'), true))?.[0]).toEqual(['9', '8', '7']);
    expect(idsOf(withReread(pages, 0, read(['9'], null), true))?.[0]).toEqual(['9']);
  });

  it('keeps everything in a list that is not ordered by time', () => {
    expect(idsOf(withReread(pages, 0, read(['9', '7', '6'], 'c'), false))?.[0]).toEqual(['9', '8', '7']);
  });
});

describe('a long list', () => {
  const wordy = list(['1'], ['2'], ['3'], ['4'], ['5']);
  const written = {
    ...wordy,
    pages: wordy.pages.map((page) => ({
      ...page,
      data: page.data.map(({ id }) => row(id, { data: { id } })),
    })),
  };
  const held = (pages: Pages) => pages.pages.map(({ data }) => Object.keys(data[0]?.data ?? {}).length);

  it('holds what was written near the window and on the first page', () => {
    const light = withLightPages(written, 4, 1);
    expect(held(light)).toEqual([1, 0, 0, 1, 1]);
    expect(idsOf(light)).toEqual(idsOf(written));
    expect(withLightPages(light, 4, 1)).toBe(light);
    const filled = withReread(light, 2, { data: [row('3', { data: { id: '3' } })], next_cursor: 'c' }, true);
    expect(held(filled)).toEqual([1, 0, 1, 1, 1]);
  });

  it('knows the page of a row', () => {
    const pages = list(['1', '2'], [], ['3']);
    expect([0, 1, 2, 99].map((at) => pageOfRow(pages, at))).toEqual([0, 0, 2, 2]);
  });
});
