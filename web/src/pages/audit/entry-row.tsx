/** An entry of the audit log: one row, and below it what changed. */
import { ActionIcon, Anchor, Badge, Code, Stack, Table, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { beginning } from '../../ui/bounded-text.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { AuditEntry } from '../../wire.js';
import * as words from '../../words/audit.js';

const maxShown = 2_000;

/** The page of what it was done to; null: it has none, or it is gone. */
function pathOf({ action, object: { kind, id } }: AuditEntry): string | null {
  if (id === null || action.endsWith('.deleted')) return null;
  const paths: Readonly<Record<string, string>> = {
    form: `/forms/${id}`,
    project: `/projects/${id}`,
    submission: `/submissions/${id}`,
    destination: `/destinations/${id}`,
  };
  return paths[kind] ?? null;
}

/** What it was done to. There is one account, whose id says nothing. */
function ObjectName({ entry, nameNow }: EntryRowProps) {
  const { kind, id } = entry.object;
  const name = entry.object.name ?? nameNow;
  if (name === null && (id === null || kind === 'account')) return null;
  const path = pathOf(entry);
  const shown = <Untrusted>{beginning(name ?? id ?? '', 80)}</Untrusted>;
  return (
    <Text size="sm" c="dimmed" className={name === null ? 'mono' : ''}>
      {path === null ? (
        shown
      ) : (
        <Anchor component={Link} href={path} inherit>
          {shown}
        </Anchor>
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
  /** Of the form or project it was done to, as it is called now; null: it is neither, or it is gone. */
  readonly nameNow: string | null;
}

export function EntryRow({ entry, nameNow }: EntryRowProps) {
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
          <ObjectName entry={entry} nameNow={nameNow} />
          <Text size="sm" hiddenFrom="sm">
            <Untrusted>{beginning(actor.name ?? words.erased, 80)}</Untrusted>
          </Text>
        </Table.Td>
        <Table.Td visibleFrom="sm">
          <Untrusted>{beginning(actor.name ?? words.erased, 80)}</Untrusted>{' '}
          {actor.kind !== 'user' && (
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
