/** The number of replies that were not sent, by reason. */
import { Anchor, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../../api.js';
import { keys } from '../../queries.js';
import type { SuppressedReplies as Suppressed, SuppressedReplyReason } from '../../wire.js';
import { formatNumber, readerZone } from '../../words/format.js';
import * as words from '../../words/visitor-mail.js';

const days = 30;
const reasons = Object.keys(words.notSentReasons) as readonly SuppressedReplyReason[];
/** Suppressions that stay until they are lifted. */
const listed: readonly SuppressedReplyReason[] = ['suppressed_address', 'bounced'];

interface SuppressedRepliesProps {
  readonly formId: string;
  readonly caps: { readonly per_address_per_day: number; readonly per_day: number };
}

export function SuppressedReplies({ formId, caps }: SuppressedRepliesProps) {
  const { data } = useQuery({
    queryKey: [...keys.form(formId), 'suppressed-replies'],
    queryFn: ({ signal }) =>
      api.get<Suppressed>(`/forms/${formId}/suppressed-replies`, { days, time_zone: readerZone() }, signal),
  });
  const counts = reasons
    .map((reason) => ({
      reason,
      count: data?.days.reduce((sum, day) => sum + (day.reasons[reason] ?? 0), 0) ?? 0,
    }))
    .filter(({ count }) => count > 0);
  if (counts.length === 0) return null;
  const title = words.notSent(counts.reduce((sum, { count }) => sum + count, 0));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {title}
      </Text>
      <Table aria-label={title}>
        <Table.Tbody>
          {counts.map(({ reason, count }) => (
            <Table.Tr key={reason}>
              <Table.Td>{words.notSentBecause(reason, caps)}</Table.Td>
              <Table.Td ta="right">{formatNumber(count)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {counts.some(({ reason }) => listed.includes(reason)) && (
        <Anchor component={Link} href="/suppressed-addresses" size="sm" w="fit-content">
          {words.seeSuppressed}
        </Anchor>
      )}
    </Stack>
  );
}
