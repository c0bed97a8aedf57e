/** The request and response of one attempt, loaded when it is opened. */
import { Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.js';
import { keys } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { AttemptFull } from '../../wire.js';
import * as words from '../../words/submission.js';
import { curlCommand } from './as-curl.js';

/** A body may be a megabyte long. Copying as curl copies all of it. */
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
    {/* Scrollable content must be reachable by keyboard. */}
    <Box component="pre" className="answer" role="region" tabIndex={0} aria-label={title}>
      <Untrusted>{beginning(text, maxBodyChars)}</Untrusted>
      {(isCut || text.length > maxBodyChars) && '\n…'}
    </Box>
  </Box>
);

function Timings({ attempt }: { readonly attempt: AttemptFull }) {
  const { dns_ms, connect_ms, first_byte_ms } = attempt.timings;
  const phases = [
    [words.phaseDns, dns_ms],
    [words.phaseConnect, connect_ms],
    [words.phaseFirstByte, first_byte_ms],
    [words.phaseTotal, attempt.duration_ms],
  ] as const;
  const said = phases.flatMap(([say, ms]) => (ms === null ? [] : [say(ms)]));
  return (
    <Text size="xs" c="dimmed">
      {said.join(' · ')}
      {attempt.remote_address && ` · ${words.sentTo(attempt.remote_address)}`}
    </Text>
  );
}

function Request({ request }: { readonly request: NonNullable<AttemptFull['request']> }) {
  const { method, url, headers, body, is_body_cut } = request;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" fw={600}>
          {words.request}
        </Text>
        {!is_body_cut && <CopyButton value={() => curlCommand(request)} label={words.copyAsCurl} withWords />}
      </Group>
      <Text size="xs" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {method} <Untrusted>{beginning(url, 2_000)}</Untrusted>
      </Text>
      <Folded title={words.requestHeaders} headers={headers} />
      <details>
        <summary>
          <Text span size="xs">
            {words.requestBody(new Blob([body]).size)}
          </Text>
        </summary>
        <BodyText
          title={is_body_cut ? words.beginningAsSent : words.asSent}
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
        {found.isError ? words.requestNotLoaded : words.loading}
      </Text>
    );
  return (
    <Stack gap="xs">
      <Timings attempt={attempt} />
      {attempt.request !== null && <Request request={attempt.request} />}
      {attempt.response_headers !== null && (
        <Stack gap={4}>
          <Text size="xs" fw={600}>
            {words.responseStatus(attempt.status)}
          </Text>
          <Folded title={words.responseHeaders} headers={attempt.response_headers} />
        </Stack>
      )}
    </Stack>
  );
}
