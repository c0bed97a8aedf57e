/** Creates a project and opens it. */
import { useLocation } from 'wouter';
import { useCreateProject } from '../../queries.js';
import { NameDialog } from '../../ui/name-dialog.js';

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
      title="Create project"
      description="Usually one website. Its forms share a webhook, origins and a rate limit."
      placeholder="Website"
      action="Create project"
      onName={async (name) => {
        const { id } = await create.mutateAsync({ name });
        navigate(`/projects/${id}`);
      }}
    />
  );
}
