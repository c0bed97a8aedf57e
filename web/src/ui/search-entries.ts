/**
 * What the search of the head offers for some words: what is called so, and the forms whose submissions can be searched
 * for them. The latter are places to look, not finds: a form is left out only when it is known to have none.
 */
import type { FormItem, ProjectItem } from '../wire.js';

export interface NamedForm extends Pick<FormItem, 'id' | 'name'> {
  readonly projectName: string;
}

export interface SearchEntry {
  /** Where it leads. */
  readonly path: string;
  readonly label: string;
}

export interface SearchGroup {
  readonly name: string;
  readonly entries: readonly SearchEntry[];
}

const pages: readonly SearchEntry[] = [
  { path: '/', label: 'Overview' },
  { path: '/projects', label: 'Projects' },
  { path: '/quarantine', label: 'Quarantine' },
  { path: '/api-keys', label: 'API keys' },
  { path: '/users', label: 'Users' },
  { path: '/plan', label: 'Plan' },
  { path: '/instance', label: 'Instance' },
];

/** Of each kind. */
const maxEntries = 8;

/** The form that is open is the likeliest place to look. */
export const openFormFirst = (
  forms: readonly NamedForm[],
  openId: string | undefined,
): readonly NamedForm[] =>
  [...forms].sort((one, other) => Number(other.id === openId) - Number(one.id === openId));

const nameOf = ({ name, projectName }: NamedForm): string => `${name} · ${projectName}`;

interface Wanted {
  readonly words: string;
  readonly projects: readonly Pick<ProjectItem, 'id' | 'name'>[];
  readonly forms: readonly NamedForm[];
  /** Ids of forms that were asked and have no submission with these words. */
  readonly without: ReadonlySet<string>;
}

export function searchGroups({ words, projects, forms, without }: Wanted): readonly SearchGroup[] {
  const wanted = words.trim();
  const fitting = (entries: readonly SearchEntry[]) =>
    entries.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase())).slice(0, maxEntries);
  const places = wanted === '' ? [] : forms.slice(0, maxEntries).filter(({ id }) => !without.has(id));
  return [
    {
      name: 'Forms',
      entries: fitting(forms.map((form) => ({ path: `/forms/${form.id}`, label: nameOf(form) }))),
    },
    {
      name: 'Projects',
      entries: fitting(projects.map(({ id, name }) => ({ path: `/projects/${id}`, label: name }))),
    },
    { name: 'Pages', entries: fitting(pages) },
    {
      name: 'Search submissions',
      entries: places.map((form) => ({
        path: `/forms/${form.id}/submissions?q=${encodeURIComponent(wanted)}`,
        label: `Search “${wanted}” in ${nameOf(form)}`,
      })),
    },
  ].filter(({ entries }) => entries.length > 0);
}
