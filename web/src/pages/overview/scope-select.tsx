/** The scope of the numbers: everything, one project or one form. */
import { Select } from '@mantine/core';
import { useAllForms } from '../../account-queries.js';
import { useProjects } from '../../queries.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as common from '../../words/common.js';
import * as words from '../../words/overview.js';

export interface Scope {
  readonly form_id?: string;
  readonly project_id?: string;
}

interface ScopeSelectProps {
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
}

const everything = 'all';

export function ScopeSelect({ scope, onScope }: ScopeSelectProps) {
  const projects = useProjects().data ?? [];
  const forms = useAllForms();
  const value =
    scope.form_id !== undefined
      ? `form:${scope.form_id}`
      : scope.project_id !== undefined
        ? `project:${scope.project_id}`
        : everything;
  return (
    <Select
      aria-label={words.scopeLabel}
      w={{ base: '100%', xs: 240 }}
      value={value}
      allowDeselect={false}
      searchable
      nothingFoundMessage={words.scopeNotFound}
      maxDropdownHeight={360}
      data={[
        { value: everything, label: words.allProjects },
        {
          group: common.projects,
          items: projects.map(({ id, name }) => ({ value: `project:${id}`, label: shownCharacters(name) })),
        },
        {
          group: common.forms,
          items: forms.map(({ id, name, projectName }) => ({
            value: `form:${id}`,
            label: shownCharacters(`${name} · ${projectName}`),
          })),
        },
      ]}
      renderOption={({ option }) => <Untrusted>{option.label}</Untrusted>}
      onChange={(chosen) => {
        const [kind, id] = (chosen ?? everything).split(':');
        if (id === undefined) onScope({});
        else onScope(kind === 'form' ? { form_id: id } : { project_id: id });
      }}
    />
  );
}
