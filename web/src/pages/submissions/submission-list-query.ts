/**
 * A submission list that stays stable: loaded rows do not move. New submissions are fetched separately, and put on top on request.
 * Pages load while scrolling. Only pages near the viewport keep the submitted data in memory.
 */
import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../api.js';
import type { SubmissionFilter } from '../../inbox/filter-params.js';
import {
  type HeldPage,
  type Pages,
  pageOfRow,
  withLightPages,
  without,
  withReread,
} from '../../inbox/held-lists.js';
import { changesSettled, changesSoFar, isHeldList } from '../../inbox-queries.js';
import { useCoalesced, useLive } from '../../live.js';
import { isReturning } from '../../navigation.js';
import { invalidateCounts, keys, pathOf, type Scope } from '../../queries.js';
import type { Submission, SubmissionPage, WebhookState } from '../../wire.js';

/** Maximum page size of the API. */
const pageSize = 100;
/** The number of pages on either side of the current one whose data stays in memory. */
const reach = 5;

const listKey = (scope: Scope, filter: SubmissionFilter) => [
  ...keys.submissionsOf(scope, { ...filter }),
  'still',
];

async function pageOf(
  scope: Scope,
  filter: SubmissionFilter,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<SubmissionPage> {
  await changesSettled();
  return api.get<SubmissionPage>(
    `${pathOf(scope)}/submissions`,
    { ...filter, include: 'delivery_state,inbox', limit: pageSize, cursor },
    signal,
  );
}

/** The same rows in the same places; only delivery states change. */
const withStates = (pages: Pages, states: ReadonlyMap<string, WebhookState | null | undefined>): Pages => ({
  ...pages,
  pages: pages.pages.map((page) =>
    page.data.some(({ id }) => states.has(id))
      ? {
          ...page,
          data: page.data.map((row) => {
            const state = states.get(row.id);
            return state === undefined || state === row.delivery_state
              ? row
              : { ...row, delivery_state: state };
          }),
        }
      : page,
  ),
});

/** The list as first loaded, page by page. */
export function useSubmissionList(scope: Scope | null, filter: SubmissionFilter) {
  const query = useInfiniteQuery<HeldPage, Error, Pages, readonly unknown[], string | null>({
    queryKey: scope === null ? ['submissions', 'none'] : listKey(scope, filter),
    queryFn: ({ pageParam, signal }) => {
      if (scope === null) throw new Error('Nothing to list');
      return pageOf(scope, filter, pageParam, signal);
    },
    initialPageParam: null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: scope !== null,
    // Comparing a hundred thousand rows with their predecessors takes longer than rendering the visible ones.
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 15 * 60_000,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
  const rows = useMemo<readonly Submission[]>(
    () => query.data?.pages.flatMap(({ data }) => data) ?? [],
    [query.data],
  );
  return { query, rows };
}

/** Loads more before the end comes into view. A page may be empty although more follow. */
export function useReadingOn(query: ReturnType<typeof useSubmissionList>['query'], isNearEnd: boolean): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
}

/** Opening a list reloads it. Only a return shows the list as it was left. */
export function useNewVisit(scope: Scope, filter: SubmissionFilter): void {
  const client = useQueryClient();
  const visited = useRef<SubmissionFilter | null>(null);
  if (visited.current === filter) return;
  if (visited.current !== null || !isReturning())
    client.removeQueries({ queryKey: listKey(scope, filter), exact: true });
  visited.current = filter;
}

/** Removes submissions from every cached list. A page that still shows one of them keeps it until it is left. */
export function useForgetSubmissions() {
  const client = useQueryClient();
  return (ids: readonly string[]) => {
    const gone = new Set(ids);
    client.setQueriesData<Pages>({ predicate: isHeldList }, (pages) => pages && without(pages, gone));
    for (const id of ids) client.removeQueries({ queryKey: keys.submission(id), type: 'inactive' });
    void client.invalidateQueries({ queryKey: keys.projects });
    void client.invalidateQueries({ queryKey: keys.forms });
    void client.invalidateQueries({ queryKey: keys.unread });
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey.at(-1) === 'newest' });
  };
}

/** Refetches some pages. Discards a response if this window changed submissions meanwhile: their live event refetches again. */
async function reread(
  client: QueryClient,
  scope: Scope,
  filter: SubmissionFilter,
  places: readonly number[],
): Promise<void> {
  const key = listKey(scope, filter);
  for (const place of places) {
    const cursor = client.getQueryData<Pages>(key)?.pageParams[place];
    if (cursor === undefined) return;
    const before = changesSoFar();
    const page = await pageOf(scope, filter, cursor);
    if (changesSoFar() !== before) return;
    client.setQueryData<Pages>(
      key,
      (pages) => pages && withReread(pages, place, page, filter.sort === undefined),
    );
  }
}

interface NearPages {
  readonly scope: Scope;
  readonly filter: SubmissionFilter;
  readonly pages: Pages | undefined;
  /** The visible rows. */
  readonly first: number;
  readonly last: number;
}

/** Keeps the data of pages near the visible rows in memory, and drops all other. */
export function useNearPages({ scope, filter, pages, first, last }: NearPages): void {
  const client = useQueryClient();
  const [from, to] = pages ? [pageOfRow(pages, first), pageOfRow(pages, last)] : [0, 0];
  const empty = (pages?.pages ?? []).findIndex(
    ({ isLight }, place) => place >= from && place <= to && isLight === true,
  );
  const count = pages?.pages.length ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever one more page was read
  useEffect(() => {
    client.setQueryData<Pages>(listKey(scope, filter), (now) => now && withLightPages(now, from, reach));
  }, [client, scope, filter, from, count]);
  useEffect(() => {
    // After a failure, scrolling to another row tries again.
    if (empty >= 0) reread(client, scope, filter, [empty]).catch(() => {});
  }, [client, scope, filter, empty]);
}

/** The pages that have their data in memory, or only those with one of these rows. */
function heldPlaces(pages: Pages | undefined, ids: ReadonlySet<string> | null): readonly number[] {
  const places = [...(pages?.pages.keys() ?? [])];
  return places.filter((place) => {
    const page = pages?.pages[place];
    return page?.isLight !== true && (ids === null || page?.data.some(({ id }) => ids.has(id)));
  });
}

/** Submissions received since the list was loaded, and a function that puts them on top. */
export function useNewSubmissions(scope: Scope, filter: SubmissionFilter, rows: readonly Submission[]) {
  const client = useQueryClient();
  const newestKey = [...keys.submissionsOf(scope, { ...filter }), 'newest'];
  // In any other order, new submissions do not belong on top.
  const isByTime = filter.sort === undefined;
  const newest = useQuery({
    queryKey: newestKey,
    queryFn: ({ signal }) => pageOf(scope, filter, null, signal),
    enabled: isByTime,
    staleTime: 0,
    gcTime: 0,
    refetchOnMount: 'always',
  });
  const recount = useCoalesced(() => invalidateCounts(client, scope));
  const look = useCoalesced(() => {
    void client.invalidateQueries({ queryKey: newestKey });
    recount();
  });
  const showStates = (states: ReadonlyMap<string, WebhookState | null | undefined>) =>
    client.setQueryData<Pages>(listKey(scope, filter), (pages) => pages && withStates(pages, states));
  /** Null: any row may have changed. */
  const touched = useRef<Set<string> | null>(new Set());
  const lookAtTouched = useCoalesced(() => {
    const ids = touched.current;
    touched.current = new Set();
    const places = heldPlaces(client.getQueryData<Pages>(listKey(scope, filter)), ids);
    // After a failure, the next event tries again.
    reread(client, scope, filter, places).catch(() => {});
    void client.invalidateQueries({ queryKey: newestKey });
  });
  const isLive = useLive(scope, {
    onSubmission: look,
    onDelivery: ({ submission_id, webhook_state }) => {
      showStates(new Map([[submission_id, webhook_state]]));
      recount();
    },
    onTouched: ({ ids }) => {
      if (ids.length === 0) touched.current = null;
      else for (const id of ids) touched.current?.add(id);
      lookAtTouched();
    },
    onMissed: () => {
      look();
      touched.current = null;
      lookAtTouched();
    },
  });
  // With the newest first, known new rows can only be near the top, and the list may be long.
  const known = useMemo(() => new Set(rows.slice(0, 2 * pageSize).map(({ id }) => id)), [rows]);
  // The former top row may have been moved to another folder. Ids start with their timestamp.
  const [top, setTop] = useState('');
  const first = rows[0]?.id ?? '';
  if (isByTime && first > top) setTop(first);
  const found = isByTime ? (newest.data?.data ?? []) : [];
  const fresh = found.filter(({ id }) => !known.has(id) && id > top);
  const isGap = top !== '' && fresh.length === found.length && newest.data?.next_cursor !== null;
  const show = () => {
    // Too many new rows to join both ends, so the list is reloaded.
    if (isGap) return client.resetQueries({ queryKey: listKey(scope, filter) });
    client.setQueryData<Pages>(listKey(scope, filter), (pages) => {
      const [head, ...rest] = pages?.pages ?? [];
      if (pages === undefined || head === undefined) return pages;
      return { ...pages, pages: [{ ...head, data: [...fresh, ...head.data] }, ...rest] };
    });
  };
  // In an empty list nothing can move.
  const isEmpty = rows.length === 0 && fresh.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time something comes to an empty list
  useEffect(() => {
    const key = listKey(scope, filter);
    if (isEmpty && client.getQueryData<Pages>(key) !== undefined) void client.resetQueries({ queryKey: key });
  }, [isEmpty]);
  return { ids: isEmpty ? [] : fresh.map(({ id }) => id), isMore: isGap, show, isLive };
}
