/**
 * How the deliveries of submissions stand. The list of deliveries runs beside the list of submissions, so that one
 * request answers for fifty rows; a row that it does not reach, as in a search, is asked for by itself.
 */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { api } from '../../api.js';
import { type Owner, pathOf } from '../../queries.js';
import type { DeliveryRow, Page, Submission } from '../../wire.js';
import { summariesOf } from './delivery-summary.js';

const pageSize = 100;
const maxPages = 20;
/** A burst of changes is one. */
const restMs = 1_000;

export function useDeliverySummaries(owner: Owner, rows: readonly Submission[], isWanted: boolean) {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['deliveries', 'summaries', owner], [owner]);
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<DeliveryRow>>(
        `${pathOf(owner)}/deliveries`,
        { limit: pageSize, cursor: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: isWanted,
    retry: false,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const found = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const oldest = rows.at(-1)?.id ?? '';
  const reached = found.at(-1)?.submission_id;
  // Both lists begin with the newest, and ids begin with their time.
  const isBehind =
    isWanted &&
    hasNextPage &&
    !isError &&
    (data?.pages.length ?? 0) < maxPages &&
    (reached === undefined || reached >= oldest);
  useEffect(() => {
    if (isBehind && !isFetching) void fetchNextPage();
  }, [isBehind, isFetching, fetchNextPage]);

  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  /** Something changed: of one submission, or nobody knows of which. */
  const changed = (submissionId: string | null) => {
    if (!isWanted)
      return void client.invalidateQueries({
        queryKey: submissionId === null ? ['deliveries', 'of'] : ['deliveries', 'of', submissionId],
      });
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey });
    }, restMs);
  };
  const summaries = useMemo(() => summariesOf(found, !hasNextPage), [found, hasNextPage]);
  return { summaries, isComplete: !isWanted || isError || (data !== undefined && !isBehind), changed };
}
