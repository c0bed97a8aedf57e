/** Above the quarantine: what can be done with those that are chosen, and with all of it. Each asks first. */
import { Button, Group, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useDeleteManySpam, useEmptySpam, useReleaseManySpam } from '../../account-queries.js';
import { countOf } from '../../ui/numbers.js';
import { SelectAll, type Selection } from '../../ui/selection.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { QuarantineReleased } from '../../wire.js';

interface Question {
  readonly title: string;
  readonly words: string;
  readonly action: string;
  readonly color: 'red' | 'accent';
  readonly onConfirm: () => void;
}

const ask = ({ title, words, action, color, onConfirm }: Question): void =>
  void modals.openConfirmModal({
    title,
    children: <Text size="sm">{words} This cannot be undone.</Text>,
    labels: { confirm: action, cancel: 'Cancel' },
    confirmProps: { color },
    onConfirm,
  });

/** Also when the list is empty by then, and this bar gone with it. */
const tellEnd = (work: Promise<unknown>, done: string, failed: string): void =>
  void work.then(
    () => tellDone(done),
    (error: unknown) => tellFailure(failed, error),
  );

interface ManyBarProps {
  /** null: all forms of the account. */
  readonly formId: string | null;
  readonly selection: Selection;
  readonly onReleased: (released: QuarantineReleased['data']) => void;
}

export function ManyBar({ formId, selection, onReleased }: ManyBarProps) {
  const release = useReleaseManySpam(onReleased);
  const remove = useDeleteManySpam();
  const empty = useEmptySpam(formId);
  const { chosen } = selection;
  const what = countOf(chosen.length, 'submission');
  const askRelease = () =>
    ask({
      title: 'Release from quarantine',
      words: 'They are accepted and delivered like any other submission.',
      action: `Release ${what}`,
      color: 'accent',
      onConfirm: () => tellEnd(release.mutateAsync(chosen), `${what} released`, 'Not all were released'),
    });
  const askDelete = () =>
    ask({
      title: 'Delete from quarantine',
      words: 'They are deleted now instead of on expiry.',
      action: `Delete ${what}`,
      color: 'red',
      onConfirm: () => tellEnd(remove.mutateAsync(chosen), `${what} deleted`, 'Not all were deleted'),
    });
  const askEmpty = () =>
    ask({
      title: 'Empty quarantine',
      words:
        formId === null
          ? 'Everything in quarantine is deleted, of all forms.'
          : 'Everything in quarantine of this form is deleted.',
      action: 'Empty quarantine',
      color: 'red',
      onConfirm: () =>
        tellEnd(empty.mutateAsync(undefined), 'The quarantine was emptied', 'The quarantine was not emptied'),
    });
  return (
    <Group h={36} px={12} justify="space-between" wrap="nowrap">
      <SelectAll selection={selection}>
        <Button size="compact-xs" variant="default" loading={release.isPending} onClick={askRelease}>
          Release
        </Button>
        <Button size="compact-xs" variant="light" color="red" loading={remove.isPending} onClick={askDelete}>
          Delete
        </Button>
      </SelectAll>
      <Button size="compact-xs" variant="subtle" color="gray" loading={empty.isPending} onClick={askEmpty}>
        Empty quarantine
      </Button>
    </Group>
  );
}
