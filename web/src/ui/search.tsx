/** The search of the head: jumps to a page, a project or a form, or looks for words in the submissions of a form. */
import { Kbd, Select } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { type RefObject, useState } from 'react';
import { useLocation } from 'wouter';
import { formsOfProject, useProjects } from '../queries.js';

const places = [
  { value: '/', label: 'Overview' },
  { value: '/projects', label: 'Projects' },
  { value: '/quarantine', label: 'Quarantine' },
  { value: '/api-keys', label: 'API keys' },
  { value: '/users', label: 'Users' },
  { value: '/plan', label: 'Plan' },
  { value: '/instance', label: 'Instance' },
];
/** More projects than this are not asked for their forms. */
const maxProjects = 50;

export function Search({ inputRef }: { readonly inputRef: RefObject<HTMLInputElement | null> }) {
  const [words, setWords] = useState('');
  const [wasUsed, setUsed] = useState(false);
  const [, navigate] = useLocation();
  const projects = useProjects().data ?? [];
  const forms = useQueries({
    queries: projects
      .slice(0, maxProjects)
      .map(({ id }) => ({ ...formsOfProject(id), enabled: wasUsed, staleTime: 60_000 })),
  }).flatMap(({ data }, index) =>
    (data?.data ?? []).map((form) => ({ ...form, projectName: projects[index]?.name ?? '' })),
  );
  const wanted = words.trim().toLowerCase();
  const fits = ({ label }: { readonly label: string }) => label.toLowerCase().includes(wanted);
  const groups = [
    {
      group: 'Forms',
      items: forms
        .map(({ id, name, projectName }) => ({ value: `/forms/${id}`, label: `${name} · ${projectName}` }))
        .filter(fits)
        .slice(0, 8),
    },
    {
      group: 'Projects',
      items: projects
        .map(({ id, name }) => ({ value: `/projects/${id}`, label: name }))
        .filter(fits)
        .slice(0, 8),
    },
    { group: 'Pages', items: places.filter(fits) },
    {
      group: 'Submissions with these words',
      items:
        wanted === ''
          ? []
          : forms.slice(0, 8).map(({ id, name, projectName }) => ({
              value: `/forms/${id}/submissions?q=${encodeURIComponent(words.trim())}`,
              label: `“${words.trim()}” in ${name} · ${projectName}`,
            })),
    },
  ].filter(({ items }) => items.length > 0);
  return (
    <Select
      ref={inputRef}
      data={groups}
      filter={({ options }) => options}
      searchable
      value={null}
      searchValue={words}
      onSearchChange={setWords}
      onFocus={() => setUsed(true)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') inputRef.current?.blur();
      }}
      onChange={(path) => {
        setWords('');
        inputRef.current?.blur();
        if (path !== null) navigate(path);
      }}
      placeholder="Search"
      aria-label="Search forms, projects and submissions"
      nothingFoundMessage="Nothing has this name"
      leftSection={<IconSearch size={16} stroke={1.6} />}
      rightSection={<Kbd size="xs">/</Kbd>}
      rightSectionPointerEvents="none"
      size="sm"
      maxDropdownHeight={420}
      selectFirstOptionOnChange
    />
  );
}
