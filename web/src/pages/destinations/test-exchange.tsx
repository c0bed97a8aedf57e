/** The request and response of a destination test. */
import { Alert, Stack, Text } from '@mantine/core';
import { beginning } from '../../ui/bounded-text.js';
import { causeOf } from '../../ui/delivery-cause.js';
import { meanings } from '../../ui/state-badge.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { DestinationTest } from '../../wire.js';
import * as words from '../../words/destinations.js';

const maxShown = 20_000;

const Part = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <div>
    <Text size="xs" c="dimmed" mb={4}>
      {title}
    </Text>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section className="answer" tabIndex={0} aria-label={title}>
      <Untrusted>{beginning(text, maxShown)}</Untrusted>
    </section>
  </div>
);

export function TestExchange({ test }: { readonly test: DestinationTest }) {
  const { delivered, request, response } = test;
  const { color, icon: Icon } = meanings[delivered ? 'delivered' : 'failed'];
  // Errors start with a class name, which is meant for programs.
  const [, detail = null] = /^\w+:\s*(.+)$/s.exec(test.error ?? '') ?? [];
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack gap="sm">
      <Alert
        color={color}
        role="status"
        icon={<Icon />}
        title={delivered ? words.testDelivered : words.testNotDelivered}
      >
        <Text size="sm">
          <Untrusted>{words.testOutcome(causeOf(test), test.duration_ms)}</Untrusted>
        </Text>
        {detail !== null && (
          <Text size="sm">
            <Untrusted>{detail}</Untrusted>
          </Text>
        )}
      </Alert>
      <Part title={words.request} text={[`${request.method} ${request.url}`, ...headers].join('\n')} />
      {request.body !== '' && <Part title={words.body} text={request.body} />}
      {response !== null && response !== '' && <Part title={words.response} text={response} />}
    </Stack>
  );
}
