/** Submissions caught by honeypots, of one form or the whole account. Releasing and deleting ask for confirmation. */

import { Box, Button, Center, Group, Kbd, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconShieldCheck } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { useAllForms, useDeleteSpam, useReleaseSpam } from '../../account-queries.js';
import { useMayIn } from '../../may.js';
import { useSpam } from '../../queries.js';
import { useListKeys } from '../../ui/keyboard.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import { useSelection } from '../../ui/selection.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { QuarantineReleased, SpamItem } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/quarantine.js';
import { ManyBar } from './many-bar.js';
import { QuarantineRow } from './quarantine-row.js';
import { Summary } from './summary.js';

interface QuarantineListProps {
  /** null: all forms of the account. */
  readonly formId: string | null;
}

const Question = ({ item, children }: { readonly item: SpamItem; readonly children: string }) => (
  <>
    <Text size="sm" fw={500} lineClamp={2} mb={8}>
      <Summary data={item.data} />
    </Text>
    <Text size="sm">{children}</Text>
  </>
);

export function QuarantineList({ formId }: QuarantineListProps) {
  const spam = useSpam(formId);
  const forms = useAllForms();
  const { mutate: release } = useReleaseSpam();
  const { mutate: remove } = useDeleteSpam();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [released, setReleased] = useState<Readonly<Record<string, string>>>({});
  const items = spam.data?.pages.flatMap(({ data }) => data) ?? [];
  const mayManage = useMayIn('quarantine.manage');
  const isSelectable = (item: SpamItem) => released[item.id] === undefined && mayManage(item);
  const selection = useSelection(items.filter(isSelectable).map(({ id }) => id));
  const onReleased = (done: QuarantineReleased['data']) =>
    setReleased((before) => ({
      ...before,
      ...Object.fromEntries(done.map(({ id, submission_id }) => [id, submission_id])),
    }));

  // Stable callbacks, so that not every row re-renders.
  const toggle = useCallback(
    ({ id }: SpamItem) =>
      setOpen((before) =>
        before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id]),
      ),
    [],
  );
  const askRelease = useCallback(
    (item: SpamItem) => {
      modals.openConfirmModal({
        title: words.releaseFromQuarantine,
        children: (
          <Question item={item}>
            {item.files_dropped > 0 ? words.releaseWithFilesWarning : words.releaseWarning}
          </Question>
        ),
        labels: { confirm: words.releaseIt, cancel: common.cancel },
        confirmProps: { color: 'violet', 'data-autofocus': true },
        onConfirm: () =>
          release(item.id, {
            onSuccess: (submission) => setReleased((before) => ({ ...before, [item.id]: submission.id })),
            onError: (error) => tellFailure(words.notReleased, error),
          }),
      });
    },
    [release],
  );
  const askDelete = useCallback(
    (item: SpamItem) =>
      modals.openConfirmModal({
        title: words.deleteFromQuarantine,
        children: <Question item={item}>{words.deleteWarning}</Question>,
        labels: { confirm: common.deleteIt, cancel: common.cancel },
        confirmProps: { color: 'red', 'data-autofocus': true },
        onConfirm: () =>
          remove(item.id, {
            onSuccess: () => tellDone(words.deleted),
            onError: (error) => tellFailure(words.notDeleted, error),
          }),
      }),
    [remove],
  );
  const { active } = useListKeys({
    items,
    onOpen: toggle,
    onBack: selection.clear,
    also: {
      r: (item) => isSelectable(item) && askRelease(item),
      x: (item) => isSelectable(item) && selection.toggle(item.id),
    },
  });

  if (spam.isPending) return <LoadingRows rows={6} height={58} />;
  if (spam.isLoadingError) return <ProblemState error={spam.error} retry={() => void spam.refetch()} />;
  if (items.length === 0) {
    return (
      <NothingYet icon={<IconShieldCheck />} title={words.noneWaiting} document="guides/spam.md">
        {words.noneWaitingHint}
      </NothingYet>
    );
  }
  const nameOf = (id: string): string => forms.find((form) => form.id === id)?.name ?? common.form;
  return (
    <>
      <div className="list bearing">
        {items.some(mayManage) && <ManyBar formId={formId} selection={selection} onReleased={onReleased} />}
        <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {items.map((item, index) => (
            <QuarantineRow
              key={item.id}
              item={item}
              index={index}
              formName={formId === null ? nameOf(item.form_id) : null}
              mayManage={mayManage(item)}
              isActive={index === active}
              isOpen={open.has(item.id)}
              releasedAs={released[item.id] ?? null}
              onToggle={toggle}
              isSelected={selection.has(item.id)}
              onSelect={selection.toggle}
              onRelease={askRelease}
              onDelete={askDelete}
            />
          ))}
        </Box>
      </div>
      {spam.hasNextPage && (
        <Center mt="md">
          <Button
            variant="default"
            loading={spam.isFetchingNextPage}
            onClick={() => void spam.fetchNextPage()}
          >
            {words.showOlder}
          </Button>
        </Center>
      )}
      <Group gap={8} mt="sm" visibleFrom="sm" aria-hidden>
        <Kbd size="xs">j</Kbd>
        <Kbd size="xs">k</Kbd>
        <Text size="xs" c="dimmed" mr="xs">
          {words.keyMove}
        </Text>
        <Kbd size="xs">{common.enterKey}</Kbd>
        <Text size="xs" c="dimmed" mr="xs">
          {words.keyExpand}
        </Text>
        <Kbd size="xs">r</Kbd>
        <Text size="xs" c="dimmed" mr="xs">
          {words.keyRelease}
        </Text>
        <Kbd size="xs">x</Kbd>
        <Text size="xs" c="dimmed">
          {words.keySelect}
        </Text>
      </Group>
    </>
  );
}
