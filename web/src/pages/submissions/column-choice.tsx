/** Selects the list's columns. The choice is stored in this browser, per form or project. */
import { Button, Checkbox, Popover, ScrollArea, Stack } from '@mantine/core';
import { IconColumns } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useFormFields } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as words from '../../words/submissions.js';
import { columnsOf, type Labels, labelOf, readChoice } from './columns.js';

const placeOf = (ownerId: string): string => `inlet.columns.${ownerId}`;

function storedChoice(ownerId: string): readonly string[] | null {
  try {
    return readChoice(localStorage.getItem(placeOf(ownerId)));
  } catch {
    // Storage is blocked.
    return null;
  }
}

/** `most` limits the default columns. */
export function useColumns(ownerId: string, fields: readonly string[], most: number) {
  const [chosen, setChosen] = useState(() => storedChoice(ownerId));
  const choose = (columns: readonly string[] | null) => {
    setChosen(columns);
    try {
      if (columns === null) localStorage.removeItem(placeOf(ownerId));
      else localStorage.setItem(placeOf(ownerId), JSON.stringify(columns));
    } catch {
      // Not stored: the choice lasts until the page is closed.
    }
  };
  const columns = useMemo(() => columnsOf(fields, chosen, most), [fields, chosen, most]);
  return { columns, isChosen: chosen !== null, choose };
}

interface ColumnChoiceProps {
  /** The fields of the loaded rows. */
  readonly fields: readonly string[];
  /** The form's earlier submissions may have had more fields; null: a list of several forms. */
  readonly formId: string | null;
  readonly labels: Labels;
  readonly columns: readonly string[];
  readonly isChosen: boolean;
  readonly onChoose: (columns: readonly string[] | null) => void;
}

/** Visitors choose field names, so the list needs a limit. */
const maxOffered = 200;

export function ColumnChoice({ fields, formId, labels, columns, isChosen, onChoose }: ColumnChoiceProps) {
  const [opened, setOpened] = useState(false);
  const learned = useFormFields(formId ?? '', opened && formId !== null).data?.data ?? [];
  // Files have their own column.
  const names = learned.filter(({ kinds }) => kinds.join() !== 'file').map(({ name }) => name);
  const all = [...new Set([...fields, ...columns, ...names])].slice(0, maxOffered);
  return (
    <Popover position="bottom-end" shadow="md" trapFocus onChange={setOpened}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns size={16} stroke={1.6} />} fw={400}>
          {words.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw={320}>
        <Stack gap="sm">
          <ScrollArea.Autosize mah={320}>
            <Stack gap={8} p={4}>
              {all.map((field) => (
                <Checkbox
                  key={field}
                  size="xs"
                  checked={columns.includes(field)}
                  disabled={!columns.includes(field) && columns.length >= 8}
                  label={<Untrusted>{beginning(labelOf(labels, field), 60)}</Untrusted>}
                  onChange={(event) =>
                    onChoose(
                      event.currentTarget.checked
                        ? [...columns, field]
                        : columns.filter((column) => column !== field),
                    )
                  }
                />
              ))}
            </Stack>
          </ScrollArea.Autosize>
          <Button size="compact-sm" variant="default" disabled={!isChosen} onClick={() => onChoose(null)}>
            {words.automatic}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
