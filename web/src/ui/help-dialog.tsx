/** Help: what the current page is for, where to read more, all shortcuts, and a switch for single-character ones. */
import { Group, Kbd, Modal, Switch, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { DocumentLink } from '../help/document-link.js';
import { helpFor } from '../help/pages.js';
import * as common from '../words/common.js';
import { documentation } from '../words/documents.js';
import * as help from '../words/help.js';
import * as words from '../words/shortcuts.js';
import { areLettersOn, commandKey, switchLetters } from './keyboard.js';

const shortcuts: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [[commandKey], words.searchEverything],
  [['/'], words.searchPage],
  [['g', 'i'], words.goToInbox],
  [['j', 'k'], words.nextAndPrevious],
  [[common.enterKey], words.openRow],
  [['←', '→'], words.newerAndOlder],
  [['x'], words.selectRow],
  [[common.shiftKey, 'x'], words.selectRange],
  [['e'], words.archive],
  [['s'], words.star],
  [['u'], words.markAsUnread],
  [['l'], words.label],
  [['a'], words.assign],
  [['r'], words.reply],
  [['!'], words.markAsSpam],
  [['#'], words.moveToTrash],
  [['z'], words.undo],
  [['r'], words.releaseRow],
  [[common.escapeKey], words.deselect],
  [['?'], words.showList],
];

function AboutPage() {
  const [path] = useLocation();
  const { about, place } = helpFor(path);
  return (
    <>
      <Title order={3} size="h4" mb={4}>
        {help.aboutThisPage}
      </Title>
      <Text size="sm">{about}</Text>
      <Text size="sm" mt={4} mb="lg">
        <DocumentLink place={place}>{documentation[place]?.[0] ?? common.documentation}</DocumentLink>
      </Text>
    </>
  );
}

export function HelpDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const [isOn, setOn] = useState(areLettersOn);
  return (
    <Modal opened={opened} onClose={onClose} title={common.help}>
      <AboutPage />
      <Title order={3} size="h4" mb={4}>
        {common.keyboardShortcuts}
      </Title>
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
        label={words.singleKeys}
        description={words.singleKeysHelp}
        checked={isOn}
        onChange={(event) => {
          switchLetters(event.currentTarget.checked);
          setOn(areLettersOn());
        }}
      />
    </Modal>
  );
}
