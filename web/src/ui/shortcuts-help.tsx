/** All keys, on one small page, and a switch for those that are letters or signs. */
import { Group, Kbd, Modal, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { areLettersOn, commandKey, switchLetters } from './keyboard.js';

const shortcuts: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [[commandKey], 'Search everything, or type a command'],
  [['/'], 'Search on this page'],
  [['j', 'k'], 'Next and previous in a list; then also ↓ and ↑'],
  [['Enter'], 'Open the highlighted row'],
  [['←', '→'], 'Newer and older submission'],
  [['x'], 'Select the highlighted row, where rows can be selected'],
  [['Shift', 'x'], 'Select all rows from the last selected one to the highlighted one'],
  [['e'], 'Archive'],
  [['s'], 'Star, or remove the star'],
  [['u'], 'Mark as unread, or as read'],
  [['l'], 'Label'],
  [['#'], 'Move to trash'],
  [['z'], 'Undo the last change'],
  [['r'], 'Release the highlighted row, in the quarantine'],
  [['Esc'], 'Deselect, close, go back'],
  [['?'], 'Show this list'],
];

export function ShortcutsHelp({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const [isOn, setOn] = useState(areLettersOn);
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Table verticalSpacing={8} withRowBorders={false}>
        <Table.Tbody>
          {shortcuts.map(([keys, meaning]) => (
            <Table.Tr key={meaning}>
              <Table.Td w={100} pl={0}>
                <Group gap={4}>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{meaning}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch
        mt="md"
        label="Single-key shortcuts"
        description="When off, letters, /, # and ? do nothing. Stored in this browser."
        checked={isOn}
        onChange={(event) => {
          switchLetters(event.currentTarget.checked);
          setOn(areLettersOn());
        }}
      />
    </Modal>
  );
}
