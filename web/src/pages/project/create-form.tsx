/** Creates a form and opens its snippets, which are needed next. */
import { useLocation } from 'wouter';
import { useCreateForm } from '../../queries.js';
import { NameDialog } from '../../ui/name-dialog.js';
import * as words from '../../words/project.js';
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
      title={words.createForm}
      description={words.createFormDescription}
      placeholder={words.contactExample}
      action={words.createForm}
      onName={async (name) => {
        const { id } = await create.mutateAsync({ projectId, name, ...sandbox });
        navigate(`/forms/${id}/snippets`);
      }}
    />
  );
}
