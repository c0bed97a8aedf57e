/** What can be done with a form as a whole. */
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconArchive, IconArchiveOff, IconCopy, IconDots } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { useDuplicateForm, usePatchForm } from '../../queries.js';
import { NameDialog } from '../../ui/name-dialog.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { FormDuplicated, FormFull } from '../../wire.js';

/** What the copy still needs, in words; the copy is open behind them. */
function leftOutWords({ captcha_turned_off, secrets_left_out }: FormDuplicated): string | null {
  const names = (isCopied: boolean) =>
    secrets_left_out
      .filter(({ is_copied }) => is_copied === isCopied)
      .map(({ name }) => name)
      .join(', ');
  const [inactive, missing] = [names(true), names(false)];
  const words = [
    ...(inactive === '' ? [] : [`Without their secrets, and switched off: ${inactive}.`]),
    ...(missing === '' ? [] : [`Not copied, because they need a secret: ${missing}.`]),
    ...(captcha_turned_off ? ['The CAPTCHA is off until you enter its secret key.'] : []),
  ];
  return words.length === 0 ? null : words.join(' ');
}

function tellDuplicated(made: FormDuplicated): void {
  const words = leftOutWords(made);
  if (words === null) tellDone('The form was duplicated');
  // Longer than a toast can hold, and not to be missed.
  else modals.open({ title: 'The form was duplicated', children: <Text size="sm">{words}</Text> });
}

export function FormMenu({ form }: { readonly form: FormFull }) {
  const patch = usePatchForm(form.id);
  const duplicate = useDuplicateForm(form.id);
  const [, navigate] = useLocation();
  const [isNaming, naming] = useDisclosure();
  const setArchived = async (isArchived: boolean) => {
    try {
      await patch.mutateAsync({ is_archived: isArchived });
      tellDone(isArchived ? 'The form was archived' : 'The form is open again');
    } catch (error) {
      tellFailure(isArchived ? 'The form was not archived' : 'The form is still archived', error);
    }
  };
  const askToArchive = () =>
    modals.openConfirmModal({
      title: 'Archive form',
      children: (
        <Text size="sm">
          Visitors will see that the form is closed, and it leaves the sidebar and the lists. Submissions,
          files, destinations and settings are kept. You can unarchive it at any time.
        </Text>
      ),
      labels: { confirm: 'Archive form', cancel: 'Cancel' },
      onConfirm: () => void setArchived(true),
    });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="input-sm" aria-label="Form actions">
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={16} stroke={1.6} />} onClick={naming.open}>
            Duplicate
          </Menu.Item>
          {form.is_archived ? (
            <Menu.Item
              leftSection={<IconArchiveOff size={16} stroke={1.6} />}
              onClick={() => void setArchived(false)}
            >
              Unarchive
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconArchive size={16} stroke={1.6} />} onClick={askToArchive}>
              Archive
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <NameDialog
        opened={isNaming}
        onClose={naming.close}
        title="Duplicate form"
        description="The copy gets the settings and destinations. Submissions, aliases and write-only secrets are not copied."
        placeholder={form.name}
        suggestion={`${form.name.slice(0, 193)} (copy)`}
        action="Duplicate form"
        onName={async (name) => {
          const made = await duplicate.mutateAsync(name);
          navigate(`/forms/${made.id}`);
          tellDuplicated(made);
        }}
      />
    </>
  );
}
