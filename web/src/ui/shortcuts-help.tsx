/** All keys, on one small page. */
import { Group, Kbd, Modal, Table, Text } from '@mantine/core';

const shortcuts: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/'], 'Search'],
  [['j', 'k'], 'Next and previous in a list'],
  [['Enter'], 'Open what is chosen'],
  [['←', '→'], 'Newer and older submission'],
  [['x'], 'Select what is chosen, where rows can be selected'],
  [['r'], 'Release what is chosen, in the quarantine'],
  [['Esc'], 'Let go, close, back'],
  [['?'], 'This list'],
];

export const ShortcutsHelp = ({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) => (
  <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
    <Table verticalSpacing={8} withRowBorders={false}>
      <Table.Tbody>
        {shortcuts.map(([keys, meaning]) => (
          <Table.Tr key={meaning}>
            <Table.Td w={90} pl={0}>
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
  </Modal>
);
