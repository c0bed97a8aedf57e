/** The user's active sessions. */
import { Badge, Button, Group, Table } from '@mantine/core';
import { useEndOtherSessions, useEndSession, useOwnSessions } from '../../login-queries.js';
import { browserOf } from '../../ui/browser-words.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { SessionItem } from '../../wire.js';
import * as words from '../../words/your-account.js';

const browserIn = ({ user_agent: userAgent }: SessionItem): string =>
  browserOf(userAgent) ?? (userAgent === '' ? words.unknownBrowser : userAgent.slice(0, 80));

function SessionRow({ session }: { readonly session: SessionItem }) {
  const end = useEndSession();
  const browser = browserIn(session);
  const endIt = () =>
    end.mutate(session.id, {
      onSuccess: () => tellDone(words.sessionEnded),
      onError: (error) => tellFailure(words.notEnded, error),
    });
  return (
    <Table.Tr h={47}>
      <Table.Td fw={500}>
        <Untrusted>{browser}</Untrusted>{' '}
        {session.current && (
          <Badge color="gray" ml={4}>
            {words.thisBrowser}
          </Badge>
        )}
      </Table.Td>
      <Table.Td c="dimmed" visibleFrom="xs">
        <span className="mono">{session.address}</span>
      </Table.Td>
      <Table.Td c="dimmed">
        <RelativeTime iso={session.last_seen_at} />
      </Table.Td>
      <Table.Td c="dimmed" visibleFrom="sm">
        <RelativeTime iso={session.created_at} />
      </Table.Td>
      <Table.Td ta="right">
        {!session.current && (
          <Button
            variant="default"
            size="xs"
            loading={end.isPending}
            onClick={endIt}
            aria-label={shownCharacters(words.signOutNamed(browser))}
          >
            {words.signOutHere}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

export function Sessions() {
  const sessions = useOwnSessions();
  const endOthers = useEndOtherSessions();
  const hasOthers = sessions.data?.some(({ current }) => !current) ?? false;
  return (
    <SectionFrame title={words.sessions} words={words.sessionsDescription}>
      {sessions.isPending && <LoadingRows rows={2} height={47} />}
      {sessions.isLoadingError && (
        <ProblemState error={sessions.error} retry={() => void sessions.refetch()} />
      )}
      {sessions.data !== undefined && (
        <ListTable
          head={
            <>
              <Table.Th>{words.browser}</Table.Th>
              <Table.Th visibleFrom="xs">{words.ipAddress}</Table.Th>
              <Table.Th>{words.lastUsed}</Table.Th>
              <Table.Th visibleFrom="sm">{words.signedInAt}</Table.Th>
              <ActionsHead />
            </>
          }
        >
          {sessions.data.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ListTable>
      )}
      {hasOthers && (
        <Group mt="md">
          <Button
            variant="default"
            loading={endOthers.isPending}
            onClick={() =>
              endOthers.mutate(undefined, {
                onSuccess: () => tellDone(words.sessionsEnded),
                onError: (error) => tellFailure(words.notEnded, error),
              })
            }
          >
            {words.signOutElsewhere}
          </Button>
        </Group>
      )}
    </SectionFrame>
  );
}
