import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { leaveFor } from '../../navigation.js';
import { useDeleteForm } from '../../queries.js';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import * as words from '../../words/form-settings.js';
import type { FormTabProps } from './form-tab.js';

export function DeleteForm({ form }: FormTabProps) {
  const remove = useDeleteForm(form.id);
  const [isAsking, asking] = useDisclosure();
  return (
    <SectionFrame title={words.dangerZone} words={words.dangerZoneDescription}>
      <Group justify="space-between" wrap="nowrap" className="danger">
        <Text size="sm">{words.deleteFormHint(form.submissions_count)}</Text>
        <Button color="red" variant="light" onClick={asking.open} flex="none">
          {words.deleteForm}
        </Button>
      </Group>
      <ConfirmByTyping
        opened={isAsking}
        onClose={asking.close}
        title={words.deleteForm}
        phrase={form.name}
        action={words.deleteForm}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          tellDone(words.formDeleted);
          leaveFor(`/projects/${form.project_id}`);
        }}
      >
        {words.deleteFormWarning(form.submissions_count)}
      </ConfirmByTyping>
    </SectionFrame>
  );
}
