/** Actions on a form as a whole. */
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconArchive, IconArchiveOff, IconCopy, IconDots, IconFolderSymlink } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { useDuplicateForm, usePatchForm } from '../../queries.js';
import { NameDialog } from '../../ui/name-dialog.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { FormDuplicated, FormFull } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/form.js';
import { formatList } from '../../words/format.js';
import { MoveDialog } from './move-dialog.js';

/** What the copy still needs, shown in front of the opened copy. */
function leftOutWords({ captcha_turned_off, secrets_left_out }: FormDuplicated): string | null {
  const names = (isCopied: boolean) =>
    formatList(secrets_left_out.filter(({ is_copied }) => is_copied === isCopied).map(({ name }) => name));
  const [inactive, missing] = [names(true), names(false)];
  const said = [
    ...(inactive === '' ? [] : [words.copiedWithoutSecrets(inactive)]),
    ...(missing === '' ? [] : [words.notCopied(missing)]),
    ...(captcha_turned_off ? [words.captchaOff] : []),
  ];
  return said.length === 0 ? null : said.join(' ');
}

function tellDuplicated(made: FormDuplicated): void {
  const leftOut = leftOutWords(made);
  if (leftOut === null) tellDone(words.duplicated);
  // Too long for a toast, and must not be missed.
  else modals.open({ title: words.duplicated, children: <Text size="sm">{leftOut}</Text> });
}

export function FormMenu({ form }: { readonly form: FormFull }) {
  const patch = usePatchForm(form.id);
  const duplicate = useDuplicateForm(form.id);
  const [, navigate] = useLocation();
  const [isNaming, naming] = useDisclosure();
  const [isMoving, moving] = useDisclosure();
  const setArchived = async (isArchived: boolean) => {
    try {
      await patch.mutateAsync({ is_archived: isArchived });
      tellDone(isArchived ? words.archived : words.unarchived);
    } catch (error) {
      tellFailure(isArchived ? words.notArchived : words.notUnarchived, error);
    }
  };
  const askToArchive = () =>
    modals.openConfirmModal({
      title: words.archiveForm,
      children: <Text size="sm">{words.archiveFormWarning}</Text>,
      labels: { confirm: words.archiveForm, cancel: common.cancel },
      onConfirm: () => void setArchived(true),
    });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="var(--control)" aria-label={words.formActions}>
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={16} stroke={1.6} />} onClick={naming.open}>
            {words.duplicate}
          </Menu.Item>
          <Menu.Item leftSection={<IconFolderSymlink size={16} stroke={1.6} />} onClick={moving.open}>
            {words.moveToProject}
          </Menu.Item>
          {form.is_archived ? (
            <Menu.Item
              leftSection={<IconArchiveOff size={16} stroke={1.6} />}
              onClick={() => void setArchived(false)}
            >
              {words.unarchive}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconArchive size={16} stroke={1.6} />} onClick={askToArchive}>
              {words.archive}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <MoveDialog form={form} opened={isMoving} onClose={moving.close} />
      <NameDialog
        opened={isNaming}
        onClose={naming.close}
        title={words.duplicateForm}
        description={words.duplicateFormDescription}
        placeholder={form.name}
        suggestion={words.copyOf(form.name.slice(0, 193))}
        action={words.duplicateForm}
        onName={async (name) => {
          const made = await duplicate.mutateAsync(name);
          navigate(`/forms/${made.id}`);
          tellDuplicated(made);
        }}
      />
    </>
  );
}
