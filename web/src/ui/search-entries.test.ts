import { describe, expect, it } from 'vitest';
import { openFormFirst, searchGroups } from './search-entries.js';

const projects = [{ id: 'p', name: 'Website' }];
const forms = ['Contact', 'Jobs', 'Orders'].map((name) => ({
  id: name[0] ?? '',
  name,
  projectName: 'Website',
}));
const offered = (words: string, without: readonly string[] = []) =>
  searchGroups({ words, projects, forms, without: new Set(without) }).map(({ name, entries }) => [
    name,
    ...entries.map(({ label }) => label),
  ]);

describe('what the search offers', () => {
  it('is everything that has a name, before a word is written', () => {
    expect(offered(' ').map(([name]) => name)).toEqual(['Forms', 'Projects', 'Pages']);
  });

  it('calls forms that nobody has asked yet places to search in', () => {
    expect(offered(' zzz ')).toEqual([
      [
        'Search submissions',
        'Search “zzz” in Contact · Website',
        'Search “zzz” in Jobs · Website',
        'Search “zzz” in Orders · Website',
      ],
    ]);
  });

  it('leaves out a form that is known to have nothing, as a place but not by its name', () => {
    expect(offered('job', ['C', 'J', 'O'])).toEqual([['Forms', 'Jobs · Website']]);
    expect(offered('zzz', ['C', 'J', 'O'])).toEqual([]);
  });

  it('leads to the words, whatever they are', () => {
    const [group] = searchGroups({ words: 'a&b #c', projects, forms, without: new Set() });
    expect(group?.entries[0]?.path).toBe('/forms/C/submissions?q=a%26b%20%23c');
  });

  it('begins with the form that is open', () => {
    expect(openFormFirst(forms, 'J').map(({ id }) => id)).toEqual(['J', 'C', 'O']);
    expect(openFormFirst(forms, undefined).map(({ id }) => id)).toEqual(['C', 'J', 'O']);
  });
});
