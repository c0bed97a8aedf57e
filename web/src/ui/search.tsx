/** The search of the head: jumps to a page, a project or a form, or looks for words in the submissions of a form. */
import { Combobox, Kbd, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { api } from '../api.js';
import { formsOfProject, keys, useProjects } from '../queries.js';
import type { SubmissionPage } from '../wire.js';
import { type NamedForm, openFormFirst, type SearchGroup, searchGroups } from './search-entries.js';
import { Untrusted } from './untrusted.js';

/** More projects than this are not asked for their forms. */
const maxProjects = 50;
/** More forms than this are not asked whether they have the words. */
const maxAsked = 5;
const pauseMs = 250;
const label = 'Go to a form, project or page, or search submissions';

function useNamedForms(isWanted: boolean) {
  const projects = useProjects().data ?? [];
  const answers = useQueries({
    queries: projects
      .slice(0, maxProjects)
      .map(({ id }) => ({ ...formsOfProject(id), enabled: isWanted, staleTime: 60_000 })),
  });
  const forms = answers.flatMap(({ data }, index) =>
    (data?.data ?? []).map((form): NamedForm => ({ ...form, projectName: projects[index]?.name ?? '' })),
  );
  const isComplete = projects.length <= maxProjects && answers.every(({ isSuccess }) => isSuccess);
  return { projects, forms, isComplete };
}

/** Which of the first forms have no submission with the words, asked when somebody pauses in typing. */
function useFormsWithout(words: string, forms: readonly NamedForm[]): ReadonlySet<string> {
  const [settled] = useDebouncedValue(words, pauseMs);
  const asked = forms.slice(0, maxAsked);
  const answers = useQueries({
    queries: asked.map(({ id }) => ({
      queryKey: [...keys.submissions, 'any', id, settled],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<SubmissionPage>(`/forms/${id}/submissions`, { q: settled, limit: 1 }, signal),
      enabled: settled !== '' && settled === words,
      retry: false,
    })),
  });
  if (settled !== words) return new Set();
  return new Set(asked.filter((_, place) => answers[place]?.data?.data.length === 0).map(({ id }) => id));
}

interface EntriesProps {
  readonly groups: readonly SearchGroup[];
  readonly combobox: ReturnType<typeof useCombobox>;
  /** What is said below the entries. */
  readonly note: string | null;
}

function Entries({ groups, combobox, note }: EntriesProps) {
  const list = useRef<HTMLDivElement>(null);
  // After each render, for entries also come and go without a key pressed: one of them is chosen at all times, and stays so.
  useEffect(() => {
    const options = [...(list.current?.querySelectorAll('[data-combobox-option]') ?? [])];
    const chosen = options.findIndex((option) => option.hasAttribute('data-combobox-selected'));
    if (chosen === -1) combobox.selectFirstOption();
    else combobox.updateSelectedOptionIndex(chosen);
  });
  return (
    <Combobox.Options ref={list} aria-label={label} mah={420} style={{ overflowY: 'auto' }}>
      {groups.map(({ name, entries }) => (
        <Combobox.Group key={name} label={name}>
          {entries.map(({ path, label }) => (
            <Combobox.Option key={path} value={path}>
              <Untrusted>{label}</Untrusted>
            </Combobox.Option>
          ))}
        </Combobox.Group>
      ))}
      {note !== null && (
        <Combobox.Empty role="status">
          <Untrusted>{note}</Untrusted>
        </Combobox.Empty>
      )}
    </Combobox.Options>
  );
}

export function Search({ inputRef }: { readonly inputRef: RefObject<HTMLInputElement | null> }) {
  const [text, setText] = useState('');
  const [wasUsed, setUsed] = useState(false);
  const [, navigate] = useLocation();
  const [, openForm] = useRoute('/forms/:id/*?');
  const words = text.trim();
  const { projects, forms: named, isComplete } = useNamedForms(wasUsed);
  const forms = openFormFirst(named, openForm?.id);
  const without = useFormsWithout(words, forms);
  const groups = searchGroups({ words, projects, forms, without });
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const hasNone = words !== '' && isComplete && without.size === forms.length;
  const note = hasNone
    ? `No submission has “${words}”`
    : groups.length > 0
      ? null
      : isComplete
        ? 'Nothing has this name'
        : 'Looking …';
  return (
    <Combobox
      store={combobox}
      // On a phone the list is wider than the box.
      middlewares={{ shift: { mainAxis: true, padding: 8 } }}
      onOptionSubmit={(path) => {
        inputRef.current?.blur();
        navigate(path);
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <TextInput
          ref={inputRef}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.resetSelectedOption();
            combobox.openDropdown();
          }}
          onFocus={() => {
            setUsed(true);
            combobox.openDropdown();
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => {
            combobox.closeDropdown();
            setText('');
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') inputRef.current?.blur();
          }}
          placeholder="Search"
          aria-label={label}
          maxLength={500}
          leftSection={<IconSearch size={16} stroke={1.6} />}
          rightSection={
            <Kbd size="xs" visibleFrom="sm">
              /
            </Kbd>
          }
          rightSectionPointerEvents="none"
        />
      </Combobox.Target>
      <Combobox.Dropdown className="search-list">
        <Entries groups={groups} combobox={combobox} note={note} />
      </Combobox.Dropdown>
    </Combobox>
  );
}
