/**
 * A list of submissions that keeps still: what is read does not move. What has come since is looked for beside it, and
 * put on top when it is asked for.
 */
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api } from '../../api.js';
import { useCoalesced, useLive } from '../../live.js';
import { invalidateCounts, keys, type Owner, pathOf } from '../../queries.js';
import type { Submission, SubmissionPage, WebhookState } from '../../wire.js';

export interface SubmissionFilter {
  readonly q?: string;
  readonly since?: string;
  readonly until?: string;
  readonly webhook_state?: WebhookState;
}

const pageSize = 50;
type Pages = InfiniteData<SubmissionPage, string | null>;

const listKey = (owner: Owner, filter: SubmissionFilter) => [
  ...keys.submissionsOf(owner, { ...filter }),
  'still',
];
const pageOf = (owner: Owner, filter: SubmissionFilter, cursor: string | null, signal?: AbortSignal) =>
  api.get<SubmissionPage>(
    `${pathOf(owner)}/submissions`,
    { ...filter, include: 'delivery_state', limit: pageSize, cursor },
    signal,
  );

/** The same rows in the same place; only their delivery states change. */
const withStates = (pages: Pages, states: ReadonlyMap<string, WebhookState | null | undefined>): Pages => ({
  ...pages,
  pages: pages.pages.map((page) => ({
    ...page,
    data: page.data.map((row) => {
      const state = states.get(row.id);
      return state === undefined || state === row.delivery_state ? row : { ...row, delivery_state: state };
    }),
  })),
});

/** The list as it was first read, page by page. */
export function useSubmissionList(owner: Owner | null, filter: SubmissionFilter) {
  const query = useInfiniteQuery({
    queryKey: owner === null ? ['submissions', 'none'] : listKey(owner, filter),
    queryFn: ({ pageParam, signal }) => {
      if (owner === null) throw new Error('Nothing to list');
      return pageOf(owner, filter, pageParam, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: owner !== null,
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

/** Takes submissions out of every list that shows them. */
export function useForgetSubmissions() {
  const client = useQueryClient();
  return (ids: readonly string[]) => {
    const gone = new Set(ids);
    client.setQueriesData<Pages>(
      { predicate: ({ queryKey }) => queryKey[0] === 'submissions' && queryKey.at(-1) === 'still' },
      (pages) =>
        pages && {
          ...pages,
          pages: pages.pages.map((page) => ({ ...page, data: page.data.filter(({ id }) => !gone.has(id)) })),
        },
    );
    for (const id of ids) client.removeQueries({ queryKey: keys.submission(id) });
    void client.invalidateQueries({ queryKey: keys.projects });
    void client.invalidateQueries({ queryKey: keys.forms });
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey.at(-1) === 'newest' });
  };
}

/** What has come since the list was read, and a way to put it on top. */
export function useNewSubmissions(owner: Owner, filter: SubmissionFilter, rows: readonly Submission[]) {
  const client = useQueryClient();
  const newestKey = [...keys.submissionsOf(owner, { ...filter }), 'newest'];
  const newest = useQuery({
    queryKey: newestKey,
    queryFn: ({ signal }) => pageOf(owner, filter, null, signal),
    staleTime: 0,
    refetchOnMount: 'always',
  });
  const recount = useCoalesced(() => invalidateCounts(client, owner));
  const look = useCoalesced(() => {
    void client.invalidateQueries({ queryKey: newestKey });
    recount();
  });
  const showStates = (states: ReadonlyMap<string, WebhookState | null | undefined>) =>
    client.setQueryData<Pages>(listKey(owner, filter), (pages) => pages && withStates(pages, states));
  /** What changed unseen is read again, page by page. */
  const rereadStates = async () => {
    const read = client.getQueryData<Pages>(listKey(owner, filter))?.pageParams ?? [];
    for (const cursor of read) {
      const { data } = await pageOf(owner, filter, cursor);
      showStates(new Map(data.map((row) => [row.id, row.delivery_state])));
    }
  };
  const isLive = useLive(owner, {
    onSubmission: look,
    onDelivery: ({ submission_id, webhook_state }) => {
      showStates(new Map([[submission_id, webhook_state]]));
      recount();
    },
    onMissed: () => {
      look();
      // The next one comes in some seconds.
      rereadStates().catch(() => {});
    },
  });
  const known = new Set(rows.map(({ id }) => id));
  const top = rows[0];
  const found = newest.data?.data ?? [];
  // Ids begin with their time: what is older than the first row was deleted from the list, or lies on a page below.
  const fresh = found.filter(({ id }) => !known.has(id) && (top === undefined || id > top.id));
  const isGap = top !== undefined && fresh.length === found.length && newest.data?.next_cursor !== null;
  const show = () => {
    // Too many to join both ends: the list begins anew.
    if (isGap) return client.resetQueries({ queryKey: listKey(owner, filter) });
    client.setQueryData<Pages>(listKey(owner, filter), (pages) => {
      const [first, ...rest] = pages?.pages ?? [];
      if (pages === undefined || first === undefined) return pages;
      return { ...pages, pages: [{ ...first, data: [...fresh, ...first.data] }, ...rest] };
    });
  };
  // Where nothing is read, nothing can be moved.
  const isEmpty = rows.length === 0 && fresh.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time something comes to an empty list
  useEffect(() => {
    if (isEmpty) void client.resetQueries({ queryKey: listKey(owner, filter) });
  }, [isEmpty]);
  return { count: isEmpty ? 0 : fresh.length, isMore: isGap, show, isLive };
}
