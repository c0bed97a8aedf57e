/** The deliveries of a form, or of all forms of a project: delivered, waiting, and failed with the reason. */

import { Box, Button, Group, Select, Text } from '@mantine/core';
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
import { useListKeys } from '../../ui/keyboard.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import { useSelection } from '../../ui/selection.js';
import type { DeliveryRow } from '../../wire.js';
import * as words from '../../words/deliveries.js';
import * as states from '../../words/states.js';
import { rememberWay } from '../submissions/way.js';
import { DeliveriesTable, isSendable, shortUrl } from './deliveries-table.js';
import { isOf, ReplayDialog, type Replayed, useReplays } from './replay-dialog.js';
import { ReplayProgress } from './replay-parts.js';

/** A page may be empty without being the last. Up to this many are skipped automatically. */
const maxEmptyPages = 20;

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
        <DeliveriesTable
          rows={rows}
          active={active}
          selection={selection}
          mayManage={mayManage}
          formNameOf={formNameOf}
          onOpen={remember}
        />
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
