/** What one attempt sent and what came back, as it was: read when somebody opens it. */
import { Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.js';
import { keys } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { AttemptFull } from '../../wire.js';
import { formatBytes, formatDuration } from '../../words/format.js';
import { curlCommand } from './as-curl.js';

/** A body may hold a megabyte; copying it as curl takes all of it. */
const maxBodyChars = 20_000;

type Headers = Readonly<Record<string, string>>;

const HeaderList = ({ headers }: { readonly headers: Headers }) => (
  <dl className="header-list">
    {Object.entries(headers).map(([name, value]) => (
      <div key={name}>
        <dt>
          <Untrusted>{name}</Untrusted>
        </dt>
        <dd>
          <Untrusted>{value}</Untrusted>
        </dd>
      </div>
    ))}
  </dl>
);

const Folded = ({ title, headers }: { readonly title: string; readonly headers: Headers }) => (
  <details>
    <summary>
      <Text span size="xs">
        {title} ({Object.keys(headers).length})
      </Text>
    </summary>
    <HeaderList headers={headers} />
  </details>
);

export const BodyText = ({ title, text, isCut }: { title: string; text: string; isCut: boolean }) => (
  <Box>
    <Text size="xs" c="dimmed" mb={4}>
      {title}
    </Text>
    {/* What scrolls can be reached by keyboard. */}
    <Box component="pre" className="answer" role="region" tabIndex={0} aria-label={title}>
      <Untrusted>{beginning(text, maxBodyChars)}</Untrusted>
      {(isCut || text.length > maxBodyChars) && '\n…'}
    </Box>
  </Box>
);

function Timings({ attempt }: { readonly attempt: AttemptFull }) {
  const { dns_ms, connect_ms, first_byte_ms } = attempt.timings;
  const phases = [
    ['DNS', dns_ms],
    ['connect', connect_ms],
    ['first byte', first_byte_ms],
    ['total', attempt.duration_ms],
  ] as const;
  const words = phases.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${formatDuration(ms)}`]));
  return (
    <Text size="xs" c="dimmed">
      {words.join(' · ')}
      {attempt.remote_address && ` · to ${attempt.remote_address}`}
    </Text>
  );
}

function Request({ request }: { readonly request: NonNullable<AttemptFull['request']> }) {
  const { method, url, headers, body, is_body_cut } = request;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" fw={600}>
          Request
        </Text>
        {!is_body_cut && <CopyButton value={() => curlCommand(request)} label="Copy as curl" withWords />}
      </Group>
      <Text size="xs" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {method} <Untrusted>{beginning(url, 2_000)}</Untrusted>
      </Text>
      <Folded title="Request headers" headers={headers} />
      <details>
        <summary>
          <Text span size="xs">
            Request body ({formatBytes(new Blob([body]).size)})
          </Text>
        </summary>
        <BodyText
          title={is_body_cut ? 'The beginning, as sent' : 'As sent'}
          text={body}
          isCut={is_body_cut}
        />
      </details>
    </Stack>
  );
}

export function AttemptExchange({ deliveryId, number }: { deliveryId: string; number: number }) {
  const found = useQuery({
    queryKey: [...keys.delivery(deliveryId), number],
    queryFn: ({ signal }) =>
      api.get<AttemptFull>(`/deliveries/${deliveryId}/attempts/${number}`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const attempt = found.data;
  if (attempt === undefined)
    return (
      <Text size="xs" c="dimmed" mih={18} role="status">
        {found.isError ? 'The request could not be loaded.' : 'Loading…'}
      </Text>
    );
  return (
    <Stack gap="xs">
      <Timings attempt={attempt} />
      {attempt.request !== null && <Request request={attempt.request} />}
      {attempt.response_headers !== null && (
        <Stack gap={4}>
          <Text size="xs" fw={600}>
            Response {attempt.status}
          </Text>
          <Folded title="Response headers" headers={attempt.response_headers} />
        </Stack>
      )}
    </Stack>
  );
}
