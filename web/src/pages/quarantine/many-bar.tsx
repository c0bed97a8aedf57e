/** Actions above the quarantine, for the selection or for all of it. Each asks for confirmation. */
import { Button, Group, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useDeleteManySpam, useEmptySpam, useReleaseManySpam } from '../../account-queries.js';
import { SelectAll, type Selection } from '../../ui/selection.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { QuarantineReleased } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/quarantine.js';

interface Question {
  readonly title: string;
  readonly warning: string;
  readonly action: string;
  readonly color: 'red' | 'accent';
  readonly onConfirm: () => void;
}

const ask = ({ title, warning, action, color, onConfirm }: Question): void =>
  void modals.openConfirmModal({
    title,
    children: <Text size="sm">{warning}</Text>,
    labels: { confirm: action, cancel: common.cancel },
    confirmProps: { color },
    onConfirm,
  });

/** Not through mutation callbacks: the list may be empty by then, and this bar unmounted. */
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
  const askRelease = () =>
    ask({
      title: words.releaseFromQuarantine,
      warning: words.releaseManyWarning,
      action: words.releaseMany(chosen.length),
      color: 'accent',
      onConfirm: () =>
        tellEnd(release.mutateAsync(chosen), words.releasedMany(chosen.length), words.notReleasedMany),
    });
  const askDelete = () =>
    ask({
      title: words.deleteFromQuarantine,
      warning: words.deleteManyWarning,
      action: words.deleteMany(chosen.length),
      color: 'red',
      onConfirm: () =>
        tellEnd(remove.mutateAsync(chosen), words.deletedMany(chosen.length), words.notDeletedMany),
    });
  const askEmpty = () =>
    ask({
      title: words.emptyQuarantine,
      warning: formId === null ? words.emptyAllWarning : words.emptyFormWarning,
      action: words.emptyQuarantine,
      color: 'red',
      onConfirm: () => tellEnd(empty.mutateAsync(undefined), words.emptied, words.notEmptied),
    });
  return (
    <Group h={36} px={12} justify="space-between" wrap="nowrap">
      <SelectAll selection={selection}>
        <Button size="compact-xs" variant="default" loading={release.isPending} onClick={askRelease}>
          {words.releaseIt}
        </Button>
        <Button size="compact-xs" variant="light" color="red" loading={remove.isPending} onClick={askDelete}>
          {common.deleteIt}
        </Button>
      </SelectAll>
      <Button size="compact-xs" variant="subtle" color="gray" loading={empty.isPending} onClick={askEmpty}>
        {words.emptyQuarantine}
      </Button>
    </Group>
  );
}
