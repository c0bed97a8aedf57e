/** The observed fields and what is known about each. */
import { Button, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { beginning } from '../../../ui/bounded-text.js';
import { shownCharacters } from '../../../ui/hidden-characters.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { Untrusted } from '../../../ui/untrusted.js';
import { ValueChips } from '../../../ui/value-chips.js';
import type { FieldRule, FormFields } from '../../../wire.js';
import * as words from '../../../words/fields.js';
import { maxRules } from './rule-settings.js';

type ObservedField = FormFields['data'][number];

const shownAtFirst = 30;
const maxNameChars = 80;

interface RuleCellProps {
  readonly field: ObservedField;
  readonly hasRule: boolean;
  readonly isFull: boolean;
  readonly onAdd: (rule: FieldRule) => void;
}

function RuleCell({ field: { name, suggested }, hasRule, isFull, onAdd }: RuleCellProps) {
  if (hasRule || suggested === undefined)
    return (
      <Text span size="xs" c="dimmed">
        {hasRule ? words.hasRule : words.noRuleFits}
      </Text>
    );
  return (
    <Button
      variant="default"
      size="compact-xs"
      disabled={isFull}
      aria-label={words.addRuleFor(shownCharacters(beginning(name, maxNameChars)))}
      onClick={() => onAdd(suggested)}
    >
      {words.addRule}
    </Button>
  );
}

interface ObservedTableProps {
  readonly fields: readonly ObservedField[];
  readonly rules: readonly FieldRule[];
  readonly onAdd: (rule: FieldRule) => void;
}

export function ObservedTable({ fields, rules, onAdd }: ObservedTableProps) {
  const [shown, setShown] = useState(shownAtFirst);
  const names = new Set(rules.map(({ name }) => name));
  return (
    <div className="panel">
      <Table className="dense observed-fields">
        <Table.Thead>
          <Table.Tr>
            <Table.Th className="field-column">{words.field}</Table.Th>
            <Table.Th className="filled-column">{words.filledHead}</Table.Th>
            <Table.Th visibleFrom="sm">{words.frequentValues}</Table.Th>
            <Table.Th visibleFrom="sm" className="seen-column">
              {words.lastSeen}
            </Table.Th>
            <Table.Td className="rule-column" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.slice(0, shown).map((field) => (
            <Table.Tr key={field.name}>
              <Table.Td>
                <Text span className="mono observed-name">
                  <Untrusted>{beginning(field.name, maxNameChars)}</Untrusted>
                </Text>
                <Text size="xs" c="dimmed">
                  {words.kindList(field.kinds)}
                </Text>
              </Table.Td>
              <Table.Td className="filled-column">{words.share(field.share)}</Table.Td>
              <Table.Td visibleFrom="sm">
                <ValueChips
                  values={field.values.slice(0, 5).map(({ value, count }) => words.valueCount(value, count))}
                />
              </Table.Td>
              <Table.Td visibleFrom="sm" c="dimmed">
                <RelativeTime iso={field.last_seen_at} />
                <Text size="xs">{words.firstSeen(<RelativeTime iso={field.first_seen_at} />)}</Text>
              </Table.Td>
              <Table.Td className="rule-column">
                <RuleCell
                  field={field}
                  hasRule={names.has(field.name)}
                  isFull={rules.length >= maxRules}
                  onAdd={onAdd}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {fields.length > shown && (
        <Button variant="subtle" m="xs" size="xs" onClick={() => setShown(fields.length)}>
          {words.showAll(fields.length)}
        </Button>
      )}
    </div>
  );
}
