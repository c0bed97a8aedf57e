/** An audit log entry: one row, with the changes below it. */
import { ActionIcon, Anchor, Badge, Code, Stack, Table, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { beginning } from '../../ui/bounded-text.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { AuditEntry } from '../../wire.js';
import * as words from '../../words/audit.js';
import { objectNameOf } from './object-name.js';

const maxShown = 2_000;

function ObjectName({ entry, nameNow, isEachKnown }: EntryRowProps) {
  const named = objectNameOf(entry, nameNow, isEachKnown);
  if (named === null) return null;
  const shown = <Untrusted>{beginning(named.text, 80)}</Untrusted>;
  return (
    <Text size="sm" c="dimmed">
      {named.path === null ? (
        shown
      ) : (
        <Anchor component={Link} href={named.path} inherit>
          {shown}
        </Anchor>
      )}
      {named.hasId && (
        <Text span size="xs" ml={8} className="mono" style={{ overflowWrap: 'anywhere' }}>
          {entry.object.id}
        </Text>
      )}
    </Text>
  );
}

const Value = ({ value }: { readonly value: unknown }) => (
  <Code block fz="xs">
    <Untrusted>
      {beginning(typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 1), maxShown)}
    </Untrusted>
  </Code>
);

function Details(entry: AuditEntry) {
  const fields = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  return (
    <Stack gap="xs" py="xs">
      {fields.length > 0 && (
        <Table aria-label={words.changes}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.field}</Table.Th>
              {entry.before && <Table.Th>{words.before}</Table.Th>}
              {entry.after && <Table.Th>{words.after}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fields.map((field) => (
              <Table.Tr key={field}>
                <Table.Td>{field}</Table.Td>
                {entry.before && (
                  <Table.Td>
                    <Value value={entry.before[field]} />
                  </Table.Td>
                )}
                {entry.after && (
                  <Table.Td>
                    <Value value={entry.after[field]} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {entry.is_redacted && (
        <Text size="sm" c="dimmed">
          {words.erasedHint}
        </Text>
      )}
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {words.entry} {entry.seq} · {entry.action} · {words.hash} {entry.hash}
        {entry.user_agent !== null && (
          <>
            {' · '}
            {words.userAgent} <Untrusted>{entry.user_agent}</Untrusted>
          </>
        )}
      </Text>
    </Stack>
  );
}

interface EntryRowProps {
  readonly entry: AuditEntry;
  /** Current name of the entry's form or project; null when it is neither, or was deleted. */
  readonly nameNow: string | null;
  /** Whether all existing forms and projects are known. */
  readonly isEachKnown: boolean;
}

export function EntryRow(props: EntryRowProps) {
  const { entry } = props;
  const [isOpen, setOpen] = useState(false);
  const { actor, address } = entry;
  return (
    <>
      <Table.Tr>
        <Table.Td w={44}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-expanded={isOpen}
            aria-label={words.details(entry.seq)}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? <IconChevronDown /> : <IconChevronRight />}
          </ActionIcon>
        </Table.Td>
        <Table.Td c="dimmed">
          <RelativeTime iso={entry.at} />
        </Table.Td>
        <Table.Td>
          <Text fw={500} size="sm">
            {words.actionWord(entry.action)}
          </Text>
          <ObjectName {...props} />
          <Text size="sm" hiddenFrom="sm">
            <Untrusted>{beginning(actor.name ?? words.erased, 80)}</Untrusted>
          </Text>
        </Table.Td>
        <Table.Td visibleFrom="sm">
          <Untrusted>{beginning(actor.name ?? words.erased, 80)}</Untrusted>{' '}
          {actor.kind !== 'user' && actor.name !== words.actorKinds[actor.kind] && (
            <Badge variant="default" size="sm">
              {words.actorKinds[actor.kind]}
            </Badge>
          )}
        </Table.Td>
        <Table.Td c="dimmed" visibleFrom="sm">
          {address === null ? '' : <Untrusted>{address}</Untrusted>}
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={5}>
            <Details {...entry} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}
