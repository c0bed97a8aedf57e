/** Changes to submissions. Each one shows immediately, is rolled back if the server rejects it, and can be undone. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ApiError, api } from './api.js';
import { afterChange, type Pages, withChange, withFormer } from './inbox/held-lists.js';
import { offerUndo } from './inbox/undo.js';
import { keys } from './queries.js';
import { tellFailure } from './ui/tell.js';
import type {
  CreateLabel,
  CreateView,
  Label,
  LabelList,
  PatchLabel,
  PatchView,
  Submission,
  SubmissionsChange,
  SubmissionsChanged,
  Unread,
  View,
  ViewList,
} from './wire.js';
import * as words from './words/shell.js';

/** Per request. */
const maxChanged = 1_000;

// Labels, views and unread counts

export const useLabels = () =>
  useQuery({
    queryKey: keys.labels,
    queryFn: ({ signal }) => api.get<LabelList>('/labels', undefined, signal),
    select: ({ data }) => data,
    staleTime: 60_000,
  });

export function useCreateLabel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateLabel) => api.post<Label>('/labels', body),
    onSuccess: (label) =>
      client.setQueryData<LabelList>(keys.labels, (now) => now && { data: [...now.data, label] }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.labels }),
  });
}

/** Also refetches submissions: visible rows show label names and colours. */
const useLabelChange = <Input, Answer>(work: (input: Input) => Promise<Answer>) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.labels }),
        client.invalidateQueries({ queryKey: keys.submissions }),
      ]),
  });
};
export const usePatchLabel = () =>
  useLabelChange(({ id, ...body }: PatchLabel & { readonly id: string }) =>
    api.patch<Label>(`/labels/${id}`, body),
  );
export const useDeleteLabel = () => useLabelChange((id: string) => api.delete(`/labels/${id}`));

export const useViews = () =>
  useQuery({
    queryKey: keys.views,
    queryFn: ({ signal }) => api.get<ViewList>('/views', undefined, signal),
    select: ({ data }) => data,
    staleTime: 60_000,
  });

const useViewChange = <Input, Answer>(work: (input: Input) => Promise<Answer>) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSettled: () => client.invalidateQueries({ queryKey: keys.views }),
  });
};
export const useCreateView = () => useViewChange((body: CreateView) => api.post<View>('/views', body));
export const usePatchView = () =>
  useViewChange(({ id, ...body }: PatchView & { readonly id: string }) =>
    api.patch<View>(`/views/${id}`, body),
  );
export const useDeleteView = () => useViewChange((id: string) => api.delete(`/views/${id}`));

/** The signed-in user's unread submissions, by form. */
export const useUnread = () =>
  useQuery({
    queryKey: keys.unread,
    queryFn: ({ signal }) => api.get<Unread>('/unread', undefined, signal),
  });

// Changes

/** Live lists that do not refetch by themselves, of any form and any filter. */
export const isHeldList = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean =>
  queryKey[0] === keys.submissions[0] && queryKey.at(-1) === 'still';

const askedFolderOf = (queryKey: readonly unknown[]): string | undefined => {
  const filter = queryKey[2];
  return typeof filter === 'object' && filter !== null && 'folder' in filter
    ? String(filter.folder)
    : undefined;
};

/** The cached lists and submissions as they were before a change. */
interface Former {
  readonly lists: readonly (readonly [readonly unknown[], Pages | undefined])[];
  readonly single: ReadonlyMap<string, Submission>;
}

function formerOf(client: QueryClient, ids: readonly string[]): Former {
  const single = new Map<string, Submission>();
  for (const id of ids) {
    const submission = client.getQueryData<Submission>(keys.submission(id));
    if (submission !== undefined) single.set(id, submission);
  }
  return { lists: client.getQueriesData<Pages>({ predicate: isHeldList }), single };
}

let pending: Promise<unknown> = Promise.resolve();
/** Data read while a change is in flight would undo it on the screen. */
export const changesSettled = (): Promise<unknown> => pending;
function track<Result>(change: Promise<Result>): Promise<Result> {
  pending = Promise.all([pending, change]);
  return change;
}

let changes = 0;
/** Increments with every change in this window: a response requested before the last change may be stale. */
export const changesSoFar = (): number => changes;

function show(client: QueryClient, ids: readonly string[], change: SubmissionsChange): void {
  changes += 1;
  const known = client.getQueryData<LabelList>(keys.labels)?.data ?? [];
  const changed = new Set(ids);
  for (const [queryKey] of client.getQueriesData<Pages>({ predicate: isHeldList }))
    client.setQueryData<Pages>(
      queryKey,
      (pages) => pages && withChange(pages, changed, change, { askedFolder: askedFolderOf(queryKey), known }),
    );
  for (const id of ids)
    client.setQueryData<Submission>(keys.submission(id), (now) => now && afterChange(now, change, known));
}

function showFormer(client: QueryClient, { lists, single }: Former, ids: readonly string[]): void {
  changes += 1;
  const changed = new Set(ids);
  for (const [queryKey, before] of lists) {
    const now = client.getQueryData<Pages>(queryKey);
    if (now === undefined || before === undefined) continue;
    const pages = withFormer(now, before, changed);
    if (pages === null) void client.resetQueries({ queryKey });
    else client.setQueryData(queryKey, pages);
  }
  for (const id of ids) {
    const submission = single.get(id);
    if (submission !== undefined) client.setQueryData(keys.submission(id), submission);
  }
}

export interface Wish {
  readonly ids: readonly string[];
  readonly change: SubmissionsChange;
  /** The message after the change; null when the effect is visible anyway. */
  readonly said: string | null;
  /** False for changes nobody made on purpose, such as marking as read on open. */
  readonly isUndoable?: boolean;
}

async function takeBack(
  client: QueryClient,
  former: Former,
  undo: SubmissionsChanged['undo'],
): Promise<void> {
  const ids = undo.flatMap((request) => request.ids);
  showFormer(client, former, ids);
  try {
    for (const request of undo) await api.post<SubmissionsChanged>('/submissions/update', request);
  } catch (error) {
    tellFailure(words.notAllSetBack, error);
    void client.resetQueries({ predicate: isHeldList });
    for (const id of ids) void client.invalidateQueries({ queryKey: keys.submission(id) });
  } finally {
    void client.invalidateQueries({ queryKey: keys.unread });
  }
}

/** Resolves to true once everything is changed. */
async function make(client: QueryClient, { ids, change, said, isUndoable = true }: Wish): Promise<boolean> {
  const former = formerOf(client, ids);
  const undo: SubmissionsChanged['undo'] = [];
  const missed: string[] = [];
  let at = 0;
  let isDone = false;
  show(client, ids, change);
  try {
    for (; at < ids.length; at += maxChanged) {
      const body = { ids: ids.slice(at, at + maxChanged), change };
      const done = await api.post<SubmissionsChanged>('/submissions/update', body);
      undo.unshift(...done.undo);
      // The server skips submissions that were deleted, or that the user may not change. `undo` has those that it changed.
      const changed = new Set(done.undo.flatMap((request) => request.ids));
      if (done.updated < body.ids.length) missed.push(...body.ids.filter((id) => !changed.has(id)));
    }
    if (missed.length > 0) throw new ApiError(0, words.goneOrNotAllowed);
    isDone = true;
  } catch (error) {
    showFormer(client, former, [...missed, ...ids.slice(at)]);
    tellFailure(undo.length === 0 ? words.nothingChanged : words.notAllChanged, error);
  } finally {
    if (isUndoable && undo.length > 0)
      offerUndo(isDone ? said : null, () => track(takeBack(client, former, undo)), ids);
    void client.invalidateQueries({ queryKey: keys.unread });
  }
  return isDone;
}

export function useChangeSubmissions(): (wish: Wish) => Promise<boolean> {
  const client = useQueryClient();
  return useCallback((wish) => track(make(client, wish)), [client]);
}
