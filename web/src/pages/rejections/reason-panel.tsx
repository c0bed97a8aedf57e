/** A rejection reason: what it means, how often it occurred, and the latest examples with their fixes. */
import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { RelativeTime } from '../../ui/relative-time.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { FormFull, ProjectFull } from '../../wire.js';
import { formatNumber } from '../../words/format.js';
import * as words from '../../words/rejections.js';
import { fixOf, isOfExample } from './fix.js';
import { FixButton } from './fix-button.js';
import { isHeader, reasonWords, type SeenExample, sentenceOf } from './reasons.js';

interface ReasonPanelProps {
  readonly reason: string;
  readonly count: number;
  readonly examples: readonly SeenExample[];
  readonly form: FormFull;
  /** undefined while loading. */
  readonly project: ProjectFull | undefined;
}

function ExampleRow({
  example,
  form,
  project,
}: Pick<ReasonPanelProps, 'form' | 'project'> & { readonly example: SeenExample }) {
  const [seen, sentence] = sentenceOf(example);
  const fix = project === undefined || !isOfExample(example.reason) ? null : fixOf(example, form, project);
  return (
    <Group component="li" justify="space-between" gap="sm" p="sm">
      <Box style={{ flex: '1 1 20rem', minWidth: 0 }}>
        <Text size="sm">
          {sentence(
            <span className={isHeader(seen) ? 'mono' : undefined}>
              <Untrusted>{seen}</Untrusted>
            </span>,
          )}
        </Text>
        <Text component="div" size="xs" c="dimmed">
          <RelativeTime iso={example.at} />
          {example.times > 1 && ` · ${words.times(example.times)}`}
          {example.ip !== null && (
            <>
              {' · '}
              <span className="mono">{example.ip}</span>
            </>
          )}
          {example.user_agent !== null && example.user_agent !== '' && (
            <>
              {' · '}
              <Untrusted>{example.user_agent}</Untrusted>
            </>
          )}
        </Text>
      </Box>
      {fix !== null && project !== undefined && <FixButton fix={fix} form={form} project={project} />}
    </Group>
  );
}

export function ReasonPanel({ reason, count, examples, form, project }: ReasonPanelProps) {
  const { title, why } = reasonWords(reason);
  const fix =
    project === undefined || isOfExample(reason) ? null : fixOf({ reason, seen: '', ip: '' }, form, project);
  return (
    <Box component="section" aria-label={title}>
      <Group justify="space-between" gap="sm" py="sm">
        <Box style={{ flex: '1 1 20rem', minWidth: 0 }}>
          <Title order={3}>
            {title}{' '}
            <Text span inherit c="dimmed" fw={400}>
              {formatNumber(count)}
            </Text>
          </Title>
          <Text size="sm" c="dimmed">
            {why}
          </Text>
        </Box>
        {fix !== null && project !== undefined && <FixButton fix={fix} form={form} project={project} />}
      </Group>
      {examples.length > 0 && (
        <Stack component="ul" gap={0} className="list">
          {examples.map((example) => (
            <ExampleRow
              key={`${example.seen} ${example.ip}`}
              example={example}
              form={form}
              project={project}
            />
          ))}
        </Stack>
      )}
    </Box>
  );
}
