/** The detected meaning of each column of the file, which the user can correct. */
import { NativeSelect, Table, Text, TextInput } from '@mantine/core';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { ImportReport } from '../../wire.js';
import * as words from '../../words/import.js';

type Column = ImportReport['columns'][number];

const meanings: readonly { readonly value: Column['meaning']; readonly label: string }[] = [
  { value: 'field', label: words.meaningField },
  { value: 'date', label: words.meaningDate },
  { value: 'id', label: words.meaningId },
  { value: 'ip', label: words.meaningIp },
  { value: 'user_agent', label: words.meaningBrowser },
  { value: 'referrer', label: words.meaningPage },
  { value: 'spam', label: words.meaningSpam },
  { value: 'file', label: words.meaningFile },
  { value: 'skip', label: words.meaningNone },
];

/** Columns beyond this are not shown; they are imported as detected. */
const mostShown = 100;

interface ColumnTableProps {
  readonly columns: readonly Column[];
  readonly isDisabled: boolean;
  /** `target`: a field, or `@date` and so on. */
  readonly onChange: (column: string, target: string) => void;
}

export function ColumnTable({ columns, isDisabled, onChange }: ColumnTableProps) {
  const rest = columns.length - mostShown;
  return (
    <>
      <Table.ScrollContainer minWidth={520} tabIndex={0} role="region" aria-label={words.columnsOfFile}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.column}</Table.Th>
              <Table.Th>{words.meaning}</Table.Th>
              <Table.Th>{words.storedAs}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.slice(0, mostShown).map(({ name, meaning, field }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may occur twice, and the order is the file's
              <Table.Tr key={index}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Untrusted>{name}</Untrusted>
                </Table.Td>
                <Table.Td>
                  <NativeSelect
                    aria-label={words.meaningOf(shownCharacters(name))}
                    data={[...meanings]}
                    value={meaning}
                    disabled={isDisabled}
                    onChange={(event) => onChange(name, `@${event.currentTarget.value}`)}
                  />
                </Table.Td>
                <Table.Td>
                  {meaning === 'field' && (
                    <TextInput
                      key={field}
                      aria-label={words.fieldFor(shownCharacters(name))}
                      defaultValue={field}
                      maxLength={256}
                      disabled={isDisabled}
                      onBlur={(event) => {
                        const target = event.currentTarget.value.trim();
                        if (target !== '' && target !== field) onChange(name, target);
                      }}
                    />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rest > 0 && (
        <Text size="sm" c="dimmed">
          {words.moreColumns(rest)}
        </Text>
      )}
    </>
  );
}
