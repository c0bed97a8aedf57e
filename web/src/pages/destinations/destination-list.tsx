/** The destinations of a form or project, each with its status. */

import { Anchor, Box, Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconPlus, IconSend } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useDestinations } from '../../destination-queries.js';
import { type Owner, pathOf, useProjectIdOf } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { causeOf } from '../../ui/delivery-cause.js';
import { LoadingRows } from '../../ui/loading.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { RowLink } from '../../ui/row-link.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Destination } from '../../wire.js';
import * as words from '../../words/destinations.js';
import { DestinationState } from './destination-state.js';
import { lookOf } from './kinds.js';

/** The server stops counting at 10,000. */
const mostWaiting = 10_000;

export function DestinationStatus({ status }: Pick<Destination, 'status'>) {
  const { last_success_at, last_error, failing_since, waiting } = status;
  return (
    <>
      <Text size="sm" c="dimmed">
        {last_success_at === null
          ? words.nothingDeliveredYet
          : words.lastSuccess(<RelativeTime iso={last_success_at} />)}
        {failing_since !== null && (
          <>
            {' · '}
            {words.firstFailure(<RelativeTime iso={failing_since} />)}
          </>
        )}
        {waiting > 0 &&
          ` · ${waiting >= mostWaiting ? words.waitingOrMore(waiting) : words.waiting(waiting)}`}
      </Text>
      {last_error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
          {words.lastError(
            <Untrusted>{beginning(causeOf({ status: null, error: last_error }), 300)}</Untrusted>,
          )}
        </Text>
      )}
    </>
  );
}

const settingsOf = ({ form_id, project_id }: Destination): { readonly words: string; readonly to: string } =>
  form_id === null
    ? { words: words.fromProjectSettings, to: `/projects/${project_id}/settings` }
    : { words: words.fromFormSettings, to: `/forms/${form_id}/settings` };

export const BuiltInNote = ({ destination }: { readonly destination: Destination }) => {
  const { words: said, to } = settingsOf(destination);
  return (
    <Anchor component={Link} href={to} size="sm" className="above" underline="always">
      {said}
    </Anchor>
  );
};

interface RowProps {
  readonly destination: Destination;
  readonly isReadOnly: boolean;
}

function Row({ destination, isReadOnly }: RowProps) {
  const { id, kind, name, config, built_in, filter, status } = destination;
  const { icon: Icon, title, addressOf } = lookOf(kind);
  return (
    <Group
      component="li"
      className={isReadOnly ? '' : 'row'}
      wrap="nowrap"
      gap="sm"
      p="sm"
      align="flex-start"
    >
      <ThemeIcon variant="light" color="gray" size={32} aria-hidden>
        <Icon />
      </ThemeIcon>
      <Box style={{ flex: 1, minWidth: 0 }}>
        <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <Text size="sm" fw={600} style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            {isReadOnly ? (
              <Untrusted>{name}</Untrusted>
            ) : (
              <RowLink href={`/destinations/${id}`} name={name} />
            )}
          </Text>
          <DestinationState status={status} />
        </Group>
        <Text size="sm" c="dimmed" className="line-clamp">
          {title} · <Untrusted>{beginning(addressOf(config), 200)}</Untrusted>
        </Text>
        <DestinationStatus status={status} />
        {filter !== null && (
          <Text size="sm" c="dimmed">
            {words.onlyMatching}
          </Text>
        )}
        {built_in && <BuiltInNote destination={destination} />}
      </Box>
    </Group>
  );
}

interface DestinationListProps {
  readonly owner: Owner;
  readonly title: string;
  readonly words: ReactNode;
  /** For the project's destinations on a form page: they are changed in the project. */
  readonly isReadOnly?: boolean;
}

export function DestinationList({
  owner,
  title,
  words: description,
  isReadOnly = false,
}: DestinationListProps) {
  const destinations = useDestinations(owner);
  const projectId = useProjectIdOf(owner);
  const add = (
    <May to="destinations.manage" of={projectId}>
      <Button component={Link} href={`${pathOf(owner)}/destinations/new`} leftSection={<IconPlus />}>
        {words.addDestination}
      </Button>
    </May>
  );
  const items = destinations.data;
  if (isReadOnly && (items === undefined || items.length === 0)) return null;
  return (
    <Box component="section" aria-label={title} mb="xl">
      {items?.length !== 0 && (
        <Group justify="space-between" mb="sm" gap="sm">
          <Box style={{ flex: '1 1 17.5rem' }}>
            <Title order={2}>{title}</Title>
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          </Box>
          {!isReadOnly && add}
        </Group>
      )}
      {destinations.isPending && <LoadingRows rows={2} height={72} />}
      {destinations.isLoadingError && (
        <ProblemState error={destinations.error} retry={() => void destinations.refetch()} />
      )}
      {items?.length === 0 && (
        <NothingYet
          icon={<IconSend />}
          title={words.noneYet}
          actions={add}
          document="guides/destinations/index.md"
        >
          {description} {words.noneYetHint}
        </NothingYet>
      )}
      {items !== undefined && items.length > 0 && (
        <Stack component="ul" gap={0} className="list">
          {items.map((destination) => (
            <Row key={destination.id} destination={destination} isReadOnly={isReadOnly} />
          ))}
        </Stack>
      )}
    </Box>
  );
}
