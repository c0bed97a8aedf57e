/** The end of a form. */
import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { leaveFor } from '../../navigation.js';
import { useDeleteForm } from '../../queries.js';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.js';
import { countOf } from '../../ui/numbers.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import type { FormTabProps } from './form-tab.js';

export function DeleteForm({ form }: FormTabProps) {
  const remove = useDeleteForm(form.id);
  const [isAsking, asking] = useDisclosure();
  return (
    <SectionFrame title="Danger zone" words="What cannot be undone.">
      <Group justify="space-between" wrap="nowrap" className="danger">
        <Text size="sm">
          Delete this form with {countOf(form.submissions_count, 'submission')} and their files.
        </Text>
        <Button color="red" variant="light" onClick={asking.open} flex="none">
          Delete form
        </Button>
      </Group>
      <ConfirmByTyping
        opened={isAsking}
        onClose={asking.close}
        title="Delete form"
        phrase={form.name}
        action="Delete form"
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          tellDone('The form was deleted');
          leaveFor(`/projects/${form.project_id}`);
        }}
      >
        The form, {countOf(form.submissions_count, 'submission')}, all files and the log of deliveries are
        deleted for good. Pages that still post to it get an error.
      </ConfirmByTyping>
    </SectionFrame>
  );
}
