/** Queries and mutations of the destination pages. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.js';
import { keys, type Owner, pathOf } from './queries.js';
import type {
  CreateDestination,
  Destination,
  DestinationPreview,
  DestinationTest,
  PatchDestination,
  PreviewRequest,
  SubmissionPage,
} from './wire.js';

const key = ['destinations'];
/** The status changes without user action. */
const lookAgainMs = 10_000;
const previewAfterMs = 400;
const previewed = 50;

export const useDestinations = (owner: Owner, enabled = true) =>
  useQuery({
    queryKey: [...key, 'of', owner],
    queryFn: ({ signal }) =>
      api.get<{ readonly data: readonly Destination[] }>(`${pathOf(owner)}/destinations`, undefined, signal),
    select: ({ data }) => data,
    refetchInterval: lookAgainMs,
    enabled,
  });

/** The number of deliveries waiting for the built-in destination behind `webhook_url`. */
export const useWaitingForWebhook = (owner: Owner, enabled: boolean): number =>
  useDestinations(owner, enabled).data?.find(({ built_in, kind }) => built_in && kind === 'webhook')?.status
    .waiting ?? 0;

export const useDestination = (id: string) =>
  useQuery({
    queryKey: [...key, id],
    queryFn: ({ signal }) => api.get<Destination>(`/destinations/${id}`, undefined, signal),
    refetchInterval: lookAgainMs,
  });

const useDestinationChange = <Input, Answer>(work: (input: Input) => Promise<Answer>) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: key }),
        client.invalidateQueries({ queryKey: keys.attention }),
      ]),
  });
};

export const useCreateDestination = (owner: Owner) =>
  useDestinationChange((body: CreateDestination) =>
    api.post<Destination>(`${pathOf(owner)}/destinations`, body),
  );
export const usePatchDestination = (id: string) =>
  useDestinationChange((body: PatchDestination) => api.patch<Destination>(`/destinations/${id}`, body));
export const useTestDestination = (id: string) =>
  useDestinationChange(() => api.post<DestinationTest>(`/destinations/${id}/test`));

export function useDeleteDestination(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete(`/destinations/${id}`),
    onSuccess: () => {
      // The page still shows it: invalidating would request it again.
      client.removeQueries({ queryKey: [...key, id] });
      void client.invalidateQueries({ queryKey: [...key, 'of'] });
    },
  });
}

/** Previews the effect of a filter and a template. `wanted` null: nothing to preview yet. */
export function usePreview(owner: Owner, wanted: PreviewRequest | null) {
  const [asked] = useDebouncedValue(JSON.stringify(wanted), previewAfterMs);
  return useQuery({
    queryKey: [...key, 'preview', owner, asked],
    queryFn: () => api.post<DestinationPreview>(`${pathOf(owner)}/destinations/preview`, JSON.parse(asked)),
    enabled: asked !== 'null',
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** The latest submissions, for their field names and values. */
export const useRecentSubmissions = (owner: Owner) =>
  useQuery({
    queryKey: keys.submissionsOf(owner, { limit: previewed }),
    queryFn: ({ signal }) =>
      api.get<SubmissionPage>(`${pathOf(owner)}/submissions`, { limit: previewed }, signal),
    select: ({ data }) => data,
    staleTime: 60_000,
  });
