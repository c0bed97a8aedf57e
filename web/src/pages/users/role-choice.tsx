/** A user's role: one for the whole account, or one in each of some projects. */
import { NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useProjects } from '../../queries.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { User } from '../../wire.js';
import * as words from '../../words/users.js';

export type Access = Pick<User, 'role' | 'projects'>;
type ProjectRole = User['projects'][number]['role'];

interface RoleChoiceProps {
  readonly value: Access;
  readonly onChange: (access: Access) => void;
}

const isProjectRole = (text: string): text is ProjectRole => text === 'viewer' || text === 'editor';

/** One row per project, initially without a role. */
function ProjectRoles({ value, onChange }: RoleChoiceProps) {
  const projects = useProjects().data ?? [];
  const roleOf = (id: string) => value.projects.find(({ project_id }) => project_id === id)?.role ?? '';
  const set = (id: string, role: string) => {
    const others = value.projects.filter(({ project_id }) => project_id !== id);
    const chosen = isProjectRole(role) ? [{ project_id: id, role }] : [];
    onChange({ role: null, projects: [...others, ...chosen] });
  };
  return (
    <Stack gap="xs" mah={280} style={{ overflowY: 'auto' }}>
      {projects.map(({ id, name }) => (
        <NativeSelect
          key={id}
          label={<Untrusted>{name}</Untrusted>}
          value={roleOf(id)}
          onChange={(event) => set(id, event.currentTarget.value)}
          data={words.projectRoleChoices.map(([role, label]) => ({ value: role, label }))}
        />
      ))}
    </Stack>
  );
}

export function RoleChoice({ value, onChange }: RoleChoiceProps) {
  return (
    <Stack gap="sm">
      <Radio.Group
        label={words.role}
        value={value.role ?? 'projects'}
        onChange={(chosen) => {
          const role = words.roleChoices.find(([name]) => name === chosen)?.[0] ?? null;
          onChange({ role, projects: [] });
        }}
      >
        <Stack gap="xs" mt={4}>
          {words.roleChoices.map(([role, label, description]) => (
            <Radio key={role} value={role} label={label} description={description} />
          ))}
          <Radio
            value="projects"
            label={words.onlySomeProjects}
            description={words.onlySomeProjectsDescription}
          />
        </Stack>
      </Radio.Group>
      {value.role === null && <ProjectRoles value={value} onChange={onChange} />}
      {value.role === null && value.projects.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.chooseAProject}
        </Text>
      )}
    </Stack>
  );
}

export const isComplete = ({ role, projects }: Access): boolean => role !== null || projects.length > 0;
