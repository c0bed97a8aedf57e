/** Makes a form and opens its snippets: what one needs next. */
import { useLocation } from 'wouter';
import { useCreateForm } from '../../queries.js';
import { NameDialog } from '../../ui/name-dialog.js';
import { useLocalSandbox } from '../form/local-sandbox.js';

interface CreateFormProps {
  readonly projectId: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateForm({ projectId, opened, onClose }: CreateFormProps) {
  const create = useCreateForm();
  const sandbox = useLocalSandbox();
  const [, navigate] = useLocation();
  return (
    <NameDialog
      opened={opened}
      onClose={onClose}
      title="Create form"
      description="What you call it; visitors see it on the page after sending."
      placeholder="Contact"
      action="Create form"
      onName={async (name) => {
        const { id } = await create.mutateAsync({ projectId, name, ...sandbox });
        navigate(`/forms/${id}/snippets`);
      }}
    />
  );
}
