/** The deliveries of a form, or of all forms of a project: delivered, waiting, and failed with the reason. */

import { Anchor, Box, Button, Checkbox, Group, Select, Table, Text } from '@mantine/core';
import { IconRefresh, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useCoalescedAtTop, useLive } from '../../live.js';
import { useMay } from '../../may.js';
import {
  type Owner,
  pathOf,
  useDeliveries,
  useForm,
  useForms,
  useProject,
  useProjectIdOf,
} from '../../queries.js';
import { beginning, previewOf } from '../../ui/bounded-text.js';
import { causeOf } from '../../ui/delivery-cause.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { useListKeys } from '../../ui/keyboard.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime, useNow } from '../../ui/relative-time.js';
import { SelectAll, useSelection } from '../../ui/selection.js';
import { DeliveryBadge } from '../../ui/state-badge.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { DeliveryRow } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/deliveries.js';
import * as states from '../../words/states.js';
import { lookOf } from '../destinations/kinds.js';
import { nextTryTime } from '../submission/next-try.js';
import { fieldsOf } from '../submissions/columns.js';
import { rememberWay } from '../submissions/way.js';
import { isOf, ReplayDialog, type Replayed, useReplays } from './replay-dialog.js';
import { ReplayProgress } from './replay-parts.js';
import { RetryButton } from './retry-selection.js';

/** Without the protocol, which adds nothing in a list. */
const shortUrl = (url: string): string => beginning(url.replace(/^https?:\/\//, ''), 200);

/** A page may be empty without being the last. Up to this many are skipped automatically. */
const maxEmptyPages = 20;

const outcomeOf = (row: DeliveryRow): string =>
  row.attempts === 0
    ? words.notTriedYet
    : causeOf({ status: row.last_status, error: row.last_error, duration_ms: undefined });

/** The icon of its kind and its name. */
function DestinationName({ row }: { readonly row: DeliveryRow }) {
  const { icon: Icon, title } = lookOf(row.kind);
  return (
    <>
      <Icon className="clip" aria-label={title} />
      <Untrusted>{beginning(row.name, 100)}</Untrusted>
    </>
  );
}

/** Deliveries of submissions in spam or trash are paused. */
const isSendable = ({ paused_in }: DeliveryRow): boolean => paused_in === null;

/** The submission, and in a project also its form. */
function Subject({ row, formName }: { readonly row: DeliveryRow; readonly formName: string | null }) {
  const data = row.submission_data ?? {};
  const title = fieldsOf([{ data }])
    .map((field) => previewOf(data[field], 80))
    .find((text) => text !== '');
  return (
    <>
      <Untrusted>{title ?? words.untitled}</Untrusted>
      {formName !== null && (
        <Text span inherit c="dimmed">
          {' · '}
          <Untrusted>{beginning(formName, 80)}</Untrusted>
        </Text>
      )}
    </>
  );
}

/** The result and time of the last attempt. */
const Outcome = ({ row }: { readonly row: DeliveryRow }) => (
  <>
    <Untrusted>{outcomeOf(row)}</Untrusted>
    {row.last_attempt_at !== null && (
      <Text span inherit c="dimmed">
        {' · '}
        <RelativeTime iso={row.last_attempt_at} />
      </Text>
    )}
  </>
);

/** The form names of a project. Returns null on a form's own list, where the name is obvious. */
function useFormNames(owner: Owner): (formId: string) => string | null {
  const forms = useForms('projectId' in owner ? owner.projectId : '', 'projectId' in owner);
  return (formId) => forms.data?.find(({ id }) => id === formId)?.name ?? null;
}

function useReceivers(owner: Owner, rows: readonly DeliveryRow[]): readonly string[] {
  const form = useForm('formId' in owner ? owner.formId : '');
  const projectId = useProjectIdOf(owner);
  const project = useProject(projectId);
  const forms = useForms(projectId, 'projectId' in owner);
  return useMemo(() => {
    const set = [form.data?.webhook_url, project.data?.webhook_url].concat(
      forms.data?.map(({ webhook_url }) => webhook_url) ?? [],
      rows.map(({ url }) => url),
    );
    return [...new Set(set.filter((url): url is string => typeof url === 'string'))].slice(0, 100);
  }, [form.data, project.data, forms.data, rows]);
}

/** Replays the listed state; from a list of all states, the failed ones. */
const replayedBy = (state: string | null): Replayed =>
  state === 'pending' || state === 'delivered' ? state : 'failed';

export function DeliveriesList({ owner }: { readonly owner: Owner }) {
  const client = useQueryClient();
  const [path, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const state = search.get('state');
  const url = search.get('url');
  const deliveries = useDeliveries(owner, { state, url, limit: 50, include: 'submission_data' });
  const rows = useMemo(() => deliveries.data?.pages.flatMap(({ data }) => data) ?? [], [deliveries.data]);
  const receivers = useReceivers(owner, rows);
  const formNameOf = useFormNames(owner);
  const mayManage = useMay('deliveries.manage', useProjectIdOf(owner));
  const [replayed, setReplayed] = useState<Replayed | null>(null);
  const ids = useMemo(() => rows.filter(isSendable).map(({ id }) => id), [rows]);
  const selection = useSelection(ids);
  const replays = useReplays();
  const running = replays.data?.find((replay) => replay.status === 'running' && isOf(owner, replay));
  const now = useNow();

  const look = useCoalescedAtTop(
    () => void client.invalidateQueries({ queryKey: ['deliveries', 'list', owner] }),
  );
  useLive(owner, { onDelivery: look, onSubmission: look, onMissed: look });

  const { hasNextPage, isFetching, fetchNextPage } = deliveries;
  const pages = deliveries.data?.pages.length ?? 0;
  const isTurning = rows.length === 0 && hasNextPage && pages < maxEmptyPages;
  useEffect(() => {
    if (isTurning && !isFetching) void fetchNextPage();
  }, [isTurning, isFetching, fetchNextPage]);

  const change = (name: 'state' | 'url', value: string | null) => {
    const wanted = new URLSearchParams(search);
    if (value === null || value === 'any') wanted.delete(name);
    else wanted.set(name, value);
    navigate(wanted.size > 0 ? `${path}?${wanted}` : path, { replace: true });
  };
  const remember = () =>
    rememberWay({ back: search.size > 0 ? `${path}?${search}` : path, label: words.wayBack, list: null });
  const { active } = useListKeys({
    items: rows,
    onOpen: ({ submission_id }) => {
      remember();
      navigate(`/submissions/${submission_id}`);
    },
    also: { x: (row) => isSendable(row) && selection.toggle(row.id) },
  });

  const isNarrowed = state !== null || url !== null;
  const isEmpty = deliveries.isSuccess && rows.length === 0 && !isTurning;
  if (isEmpty && !isNarrowed && !hasNextPage)
    return (
      <NothingYet
        icon={<IconSend />}
        title={words.noneYet}
        document="guides/destinations/index.md"
        actions={
          <Button component={Link} href={`${pathOf(owner)}/destinations`} variant="default">
            {words.seeDestinations}
          </Button>
        }
      >
        {words.noneYetHint}
      </NothingYet>
    );
  return (
    <>
      <ReplayDialog owner={owner} replayed={replayed} onReplayed={setReplayed} />
      <Group gap="xs" mb="sm" justify="space-between">
        <Group gap="xs" style={{ flex: '1 1 20rem' }}>
          <Select
            w={150}
            aria-label={words.state}
            value={state ?? 'any'}
            onChange={(value) => change('state', value)}
            data={[
              { value: 'any', label: words.anyState },
              { value: 'delivered', label: states.delivered },
              { value: 'pending', label: states.waiting },
              { value: 'failed', label: states.failed },
              { value: 'suppressed', label: states.suppressed },
            ]}
            allowDeselect={false}
          />
          <Select
            aria-label={words.destination}
            value={url ?? 'any'}
            onChange={(value) => change('url', value)}
            data={[
              { value: 'any', label: words.anyDestination },
              ...[...new Set([...receivers, ...(url === null ? [] : [url])])].map((each) => ({
                value: each,
                label: shortUrl(each),
              })),
            ]}
            allowDeselect={false}
            style={{ flex: '1 1 12.5rem', maxWidth: 360 }}
          />
        </Group>
        {mayManage && (
          <Group gap="xs">
            {rows.some((row) => row.state === 'pending' && isSendable(row)) && (
              <Button variant="default" leftSection={<IconSend />} onClick={() => setReplayed('pending')}>
                {words.sendAllWaitingNow}
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconRefresh />}
              onClick={() => setReplayed(replayedBy(state))}
            >
              {words.replay}
            </Button>
          </Group>
        )}
      </Group>
      {running !== undefined && replayed === null && (
        <Box className="panel" p="sm" mb="sm">
          <ReplayProgress id={running.id} />
        </Box>
      )}
      {(deliveries.isPending || isTurning) && <LoadingRows rows={10} />}
      {deliveries.isError && rows.length === 0 && (
        <ProblemState error={deliveries.error} retry={() => void deliveries.refetch()} />
      )}
      {isEmpty && (
        <NothingYet
          icon={<IconSend />}
          title={words.noMatches}
          actions={
            <Button variant="default" onClick={() => navigate(path, { replace: true })}>
              {words.showAll}
            </Button>
          }
        >
          {words.noMatchesHint}
        </NothingYet>
      )}
      {rows.length > 0 && (
        <div className="list bearing">
          <Table className="dense" verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr h={36}>
                <Table.Th w={38} pr={0}>
                  <SelectAll selection={selection}>
                    {mayManage && <RetryButton name="ids" ids={selection.chosen} onDone={selection.clear} />}
                  </SelectAll>
                </Table.Th>
                <Table.Th>{words.submission}</Table.Th>
                <Table.Th className="delivery-state-column">{words.state}</Table.Th>
                <Table.Th visibleFrom="sm" className="outcome-column">
                  {words.lastAttempt}
                </Table.Th>
                <Table.Th visibleFrom="sm">{words.destination}</Table.Th>
                <Table.Th visibleFrom="xl" className="count-column" ta="right">
                  {words.attempts}
                </Table.Th>
                <Table.Th visibleFrom="md" className="next-column">
                  {words.next}
                </Table.Th>
                <Table.Th visibleFrom="xl" className="time-column" ta="right">
                  {common.created}
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, index) => (
                <Table.Tr
                  key={row.id}
                  className="row"
                  data-active={index === active}
                  data-row={index}
                  aria-selected={selection.has(row.id)}
                >
                  <Table.Td w={38} pr={0}>
                    <Checkbox
                      className="above"
                      size="xs"
                      checked={selection.has(row.id)}
                      disabled={!isSendable(row)}
                      onChange={() => selection.toggle(row.id)}
                      aria-label={words.selectOf(row.created_at)}
                    />
                  </Table.Td>
                  <Table.Td>
                    <Anchor
                      component={Link}
                      href={`/submissions/${row.submission_id}`}
                      onClick={remember}
                      className="row-link"
                      inherit
                      c="inherit"
                    >
                      <Subject row={row} formName={formNameOf(row.form_id)} />
                    </Anchor>
                    <Text size="xs" c="dimmed" hiddenFrom="sm" className="line-clamp">
                      <DestinationName row={row} /> ·{' '}
                      <RelativeTime iso={row.last_attempt_at ?? row.created_at} /> ·{' '}
                      <Untrusted>{outcomeOf(row)}</Untrusted>
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <DeliveryBadge state={row.state} pausedIn={row.paused_in} />
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    <Outcome row={row} />
                  </Table.Td>
                  <Table.Td visibleFrom="sm" c="dimmed" title={shownCharacters(beginning(row.url, 500))}>
                    <DestinationName row={row} /> · <Untrusted>{shortUrl(row.url)}</Untrusted>
                  </Table.Td>
                  <Table.Td visibleFrom="xl" ta="right">
                    {row.attempts}
                  </Table.Td>
                  <Table.Td visibleFrom="md" c="dimmed">
                    {isSendable(row) && nextTryTime(row, now)}
                  </Table.Td>
                  <Table.Td visibleFrom="xl" ta="right" c="dimmed">
                    <RelativeTime iso={row.created_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {(rows.length > 0 || (isEmpty && hasNextPage)) && (
        <Group justify="space-between" mt="sm" mih={36}>
          <Text size="xs" c="dimmed">
            {hasNextPage ? words.shownOfMore(rows.length) : words.shownAll(rows.length)}
          </Text>
          {hasNextPage && (
            <Button
              variant="default"
              loading={deliveries.isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {words.showMore}
            </Button>
          )}
        </Group>
      )}
    </>
  );
}
