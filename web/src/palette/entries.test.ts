import { describe, expect, it } from 'vitest';
import { type Entry, groupsFor, rankOf } from './entries.js';

const entry = (label: string, hint = '', alias = ''): Entry => ({
  key: label,
  label,
  hint,
  alias,
  icon: () => null,
  target: { to: `/${label}` },
});
const groups = [
  { name: 'Forms', entries: [entry('Contact', 'Website'), entry('Job offers', 'Website'), entry('Sos')] },
  { name: 'Actions', entries: [entry('Sign out', '', 'log out')] },
  { name: 'Settings', isOnDemand: true, entries: [entry('Spam', 'Contact', 'captcha')] },
];
const offered = (words: string, recent: readonly string[] = []) =>
  groupsFor(words, groups, recent).map(({ name, entries }) => [name, ...entries.map(({ label }) => label)]);

describe('a match', () => {
  it.each([
    ['con', entry('Contact'), 0],
    ['contact website', entry('Contact', 'Website'), 3],
    ['off', entry('Job offers'), 2],
    ['web', entry('Contact', 'Website'), 3],
    ['ffe', entry('Job offers'), 4],
    ['captcha', entry('Spam', '', 'captcha'), 3],
    ['zurich', entry('Zürich'), 0],
    ['contact zzz', entry('Contact'), null],
  ])('%s: the beginning of a word before its middle', (words, of, rank) => {
    expect(rankOf(words, of)).toBe(rank);
  });
});

describe('what the palette offers', () => {
  it('is what was opened lately, then everything that is not asked for by name', () => {
    expect(offered('', ['Spam', 'gone', 'Sos'])).toEqual([
      ['Recent', 'Spam', 'Sos'],
      ['Forms', 'Contact', 'Job offers'],
      ['Actions', 'Sign out'],
    ]);
  });

  it('begins with the group that has the best match', () => {
    expect(offered('s').map(([name, first]) => [name, first])).toEqual([
      ['Forms', 'Sos'],
      ['Actions', 'Sign out'],
      ['Settings', 'Spam'],
    ]);
    expect(offered('out')).toEqual([['Actions', 'Sign out']]);
  });

  it('finds a form by its name, and its settings only by theirs', () => {
    expect(offered('contact')).toEqual([['Forms', 'Contact']]);
    expect(offered('contact spam')).toEqual([['Settings', 'Spam']]);
    expect(offered('captcha')).toEqual([['Settings', 'Spam']]);
  });

  it('prefers what was opened lately among equals', () => {
    const both = [{ name: 'Forms', entries: [entry('Jobs'), entry('Joinery')] }];
    expect(groupsFor('jo', both, ['Joinery'])[0]?.entries.map(({ label }) => label)).toEqual([
      'Joinery',
      'Jobs',
    ]);
  });

  it('ends: a group has six entries at most', () => {
    const many = [{ name: 'Forms', entries: Array.from({ length: 100 }, (_, n) => entry(`Form ${n}`)) }];
    expect(groupsFor('form', many, [])[0]?.entries).toHaveLength(6);
    expect(groupsFor('', many, [])[0]?.entries).toHaveLength(6);
  });
});
