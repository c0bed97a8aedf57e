/** Creates a project and opens it. */
import { useLocation } from 'wouter';
import { useCreateProject } from '../../queries.js';
import { NameDialog } from '../../ui/name-dialog.js';
import * as words from '../../words/projects.js';

interface CreateProjectProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateProject({ opened, onClose }: CreateProjectProps) {
  const create = useCreateProject();
  const [, navigate] = useLocation();
  return (
    <NameDialog
      opened={opened}
      onClose={onClose}
      title={words.createProject}
      description={words.createProjectDescription}
      placeholder={words.websiteExample}
      action={words.createProject}
      onName={async (name) => {
        const { id } = await create.mutateAsync({ name });
        navigate(`/projects/${id}`);
      }}
    />
  );
}
