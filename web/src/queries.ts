/**
 * The dashboard's server state: one hook per query, one key per noun. To refetch everything under a key, call
 * `queryClient.invalidateQueries({ queryKey: keys.<noun> })`.
 */

import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { ApiError, api, type Query } from './api.js';
import { useIsOfAccount } from './session.js';
import type {
  AccountFull,
  AliasItem,
  AliasPage,
  ApiKeyList,
  AttentionList,
  DeliveryList,
  FormBody,
  FormCreated,
  FormDuplicated,
  FormFields,
  FormFull,
  FormPage,
  FormSources,
  Instance,
  ProjectBody,
  ProjectCreated,
  ProjectFull,
  ProjectPage,
  QuarantineList,
  Rejections,
  Snippets,
  Stats,
  Submission,
  UserList,
} from './wire.js';
import { readerZone } from './words/format.js';

export const keys = {
  account: ['account'],
  users: ['users'],
  apiKeys: ['api-keys'],
  projects: ['projects'],
  project: (id: string) => ['projects', id],
  formsOf: (projectId: string) => ['projects', projectId, 'forms'],
  forms: ['forms'],
  form: (id: string) => ['forms', id],
  snippets: (formId: string) => ['forms', formId, 'snippets'],
  fields: (formId: string) => ['forms', formId, 'fields'],
  sources: (formId: string) => ['forms', formId, 'sources'],
  aliases: (formId: string) => ['forms', formId, 'aliases'],
  rejections: (formId: string) => ['forms', formId, 'rejections'],
  submissions: ['submissions'],
  submissionsOf: (scope: Scope, filter: Query) => ['submissions', scope, filter],
  submission: (id: string) => ['submissions', id],
  unread: ['unread'],
  labels: ['labels'],
  views: ['views'],
  deliveries: ['deliveries'],
  delivery: (id: string) => ['deliveries', id],
  spam: ['spam'],
  stats: ['stats'],
  attention: ['attention'],
  instance: ['instance'],
} as const;

/** Status changes without user action, so it is polled at this interval. */
const standingMs = 15_000;

/** The owner of submissions or deliveries: a form or a project. */
export type Owner =
  | { readonly formId: string; readonly projectId?: never }
  | { readonly projectId: string; readonly formId?: never };
/** Or the whole account. */
export type Scope = Owner | { readonly formId?: never; readonly projectId?: never };
export const wholeAccount: Scope = {};

export function pathOf({ formId, projectId }: Scope): string {
  if (formId !== undefined) return `/forms/${formId}`;
  return projectId === undefined ? '' : `/projects/${projectId}`;
}

/**
 * After a new submission, refetches only what shows counts: the forms of its project in the sidebar, and the statistics of the form or
 * project.
 */
export function invalidateCounts(client: QueryClient, scope: Scope): void {
  const projectId =
    scope.formId === undefined
      ? scope.projectId
      : client.getQueryData<FormFull>(keys.form(scope.formId))?.project_id;
  // Other lists are refetched when they are next opened.
  void client.invalidateQueries({ queryKey: keys.projects, refetchType: 'none' });
  if (projectId !== undefined) void client.invalidateQueries({ queryKey: keys.formsOf(projectId) });
  const counted = {
    ...(scope.formId !== undefined && { form_id: scope.formId }),
    ...(scope.projectId !== undefined && { project_id: scope.projectId }),
  };
  void client.invalidateQueries({ queryKey: [...keys.stats, counted] });
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        // Two factors have become required since the page was opened; the session shows it.
        if (error instanceof ApiError && error.code === 'second_factor_missing')
          void client.invalidateQueries({ queryKey: ['session'] });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Retrying does not change a rejection, but may help without a response or after a server error.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      },
    },
  });
  return client;
}

// Identity

/** Not loaded for users who may not see the other users. */
export const useUsers = () => {
  const isOfAccount = useIsOfAccount();
  return useQuery({
    queryKey: keys.users,
    queryFn: ({ signal }) => api.get<UserList>('/users', undefined, signal),
    select: ({ data }) => data,
    enabled: isOfAccount,
  });
};

export const useApiKeys = () =>
  useQuery({
    queryKey: keys.apiKeys,
    queryFn: ({ signal }) => api.get<ApiKeyList>('/api-keys', undefined, signal),
    select: ({ data }) => data,
  });

export const useAccount = () =>
  useQuery({
    queryKey: keys.account,
    queryFn: ({ signal }) => api.get<AccountFull>('/account', undefined, signal),
  });

// Projects and forms

export const useProjects = () =>
  useQuery({
    queryKey: keys.projects,
    queryFn: ({ signal }) => api.get<ProjectPage>('/projects', undefined, signal),
    select: ({ data }) => data,
  });

/** Names by id. Returns the id of a deleted project. */
export function useProjectNames(): (id: string) => string {
  const projects = useProjects().data;
  return (id) => projects?.find((project) => project.id === id)?.name ?? id;
}

export const useProject = (id: string) =>
  useQuery({
    queryKey: keys.project(id),
    queryFn: ({ signal }) => api.get<ProjectFull>(`/projects/${id}`, undefined, signal),
    enabled: id !== '',
  });

/** For `useQueries`, when the forms of several projects are needed at once. */
export const formsOfProject = (projectId: string) => ({
  queryKey: keys.formsOf(projectId),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get<FormPage>(`/projects/${projectId}/forms`, undefined, signal),
});

export const useForms = (projectId: string, enabled = true) =>
  useQuery({ ...formsOfProject(projectId), select: ({ data }) => data, enabled });

/** Includes archived forms. */
export const archivedFormsToo = (projectId: string) => ({
  queryKey: [...keys.formsOf(projectId), 'archived'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get<FormPage>(`/projects/${projectId}/forms`, { include_archived: 'true' }, signal),
});

export const useArchivedForms = (projectId: string, enabled: boolean) =>
  useQuery({
    ...archivedFormsToo(projectId),
    select: ({ data }) => data.filter(({ is_archived }) => is_archived),
    enabled,
  });

export const useForm = (id: string) =>
  useQuery({
    queryKey: keys.form(id),
    queryFn: ({ signal }) => api.get<FormFull>(`/forms/${id}`, undefined, signal),
    enabled: id !== '',
  });

/** Empty while the form loads. */
export function useProjectIdOf({ formId, projectId }: Owner): string {
  const form = useForm(formId ?? '');
  return projectId ?? form.data?.project_id ?? '';
}

export const useSnippets = (formId: string) =>
  useQuery({
    queryKey: keys.snippets(formId),
    queryFn: ({ signal }) => api.get<Snippets>(`/forms/${formId}/snippets`, undefined, signal),
    staleTime: 60_000,
  });

export const useFormSources = (formId: string) =>
  useQuery({
    queryKey: keys.sources(formId),
    queryFn: ({ signal }) => api.get<FormSources>(`/forms/${formId}/sources`, undefined, signal),
  });

/** The fields that its submissions have had. */
export const useFormFields = (formId: string, enabled = true) =>
  useQuery({
    queryKey: keys.fields(formId),
    queryFn: ({ signal }) => api.get<FormFields>(`/forms/${formId}/fields`, undefined, signal),
    enabled,
  });

export const useAliases = (formId: string) =>
  useInfiniteQuery({
    queryKey: keys.aliases(formId),
    queryFn: ({ pageParam, signal }) =>
      api.get<AliasPage>(`/forms/${formId}/aliases`, { limit: 20, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
  });

/** For changes of a project or form: refetches lists that show it. `answerKey`: its query key, if the response is the new state. `changed`: what else changes with it. */
const useChange = <Input, Answer>(
  work: (input: Input) => Promise<Answer>,
  answerKey: readonly string[] | null = null,
  changed: readonly (readonly string[])[] = [],
) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: (answer) => {
      if (answerKey !== null) client.setQueryData(answerKey, answer);
      return Promise.all([
        client.invalidateQueries({ queryKey: keys.projects }),
        client.invalidateQueries({ queryKey: keys.forms }),
        client.invalidateQueries({ queryKey: keys.attention }),
        ...changed.map((queryKey) => client.invalidateQueries({ queryKey })),
      ]);
    },
  });
};

export const useCreateProject = () =>
  useChange((body: ProjectBody & { readonly name: string }) => api.post<ProjectCreated>('/projects', body));
export const usePatchProject = (id: string) =>
  useChange((body: ProjectBody) => api.patch<ProjectFull>(`/projects/${id}`, body), keys.project(id));
export const useDeleteProject = (id: string) =>
  useChange(() => api.delete(`/projects/${id}`), null, [keys.unread, keys.views]);
export const useRotateSecret = (projectId: string) =>
  useChange(() => api.post<ProjectFull>(`/projects/${projectId}/webhook-secret`));
export const useCreateForm = () =>
  useChange(({ projectId, ...body }: FormBody & { readonly name: string; readonly projectId: string }) =>
    api.post<FormCreated>(`/projects/${projectId}/forms`, body),
  );
export const usePatchForm = (id: string) =>
  useChange((body: FormBody) => api.patch<FormFull>(`/forms/${id}`, body), keys.form(id));
export const useDuplicateForm = (id: string) =>
  useChange((name: string) => api.post<FormDuplicated>(`/forms/${id}/duplicate`, { name }));
export const useMoveForm = (id: string) =>
  useChange(
    (projectId: string) => api.post<FormFull>(`/forms/${id}/move`, { project_id: projectId }),
    keys.form(id),
  );
export const useAddAlias = (formId: string) =>
  useChange((alias: string) => api.post<AliasItem>(`/forms/${formId}/aliases`, { alias }));
export const useRemoveAlias = (formId: string) =>
  useChange((alias: string) => api.delete(`/forms/${formId}/aliases`, { alias }));
export const useDeleteForm = (id: string) =>
  useChange(() => api.delete(`/forms/${id}`), null, [keys.unread, keys.views]);

// Submissions and deliveries

export const submissionQuery = (id: string) => ({
  queryKey: keys.submission(id),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get<Submission>(`/submissions/${id}`, { include: 'inbox,reply_to' }, signal),
});
export const useSubmission = (id: string) => useQuery(submissionQuery(id));

/** Pages of deliveries. `filter`: state, url, limit. */
export const useDeliveries = (owner: Owner, filter: Query = {}) =>
  useInfiniteQuery({
    queryKey: ['deliveries', 'list', owner, filter],
    queryFn: ({ pageParam, signal }) =>
      api.get<DeliveryList>(`${pathOf(owner)}/deliveries`, { ...filter, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });

/** Submissions caught by honeypots. `formId` null: of the whole account. */
export const useSpam = (formId: string | null, limit = 50) =>
  useInfiniteQuery({
    queryKey: ['spam', formId, limit],
    queryFn: ({ pageParam, signal }) =>
      api.get<QuarantineList>(
        formId === null ? '/spam' : `/forms/${formId}/spam`,
        { limit, cursor: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });

export const useRejections = (formId: string, days = 30) =>
  useQuery({
    queryKey: [...keys.rejections(formId), days],
    queryFn: ({ signal }) =>
      api.get<Rejections>(`/forms/${formId}/rejections`, { days, time_zone: readerZone() }, signal),
  });

export const useStats = (filter: { days: number; form_id?: string; project_id?: string }) =>
  useQuery({
    queryKey: ['stats', filter],
    queryFn: ({ signal }) => api.get<Stats>('/stats', { ...filter, time_zone: readerZone() }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: standingMs,
  });

export const useAttention = () =>
  useQuery({
    queryKey: keys.attention,
    queryFn: ({ signal }) => api.get<AttentionList>('/attention', undefined, signal),
    select: ({ data }) => data,
    refetchInterval: standingMs,
  });

export const useInstance = () =>
  useQuery({
    queryKey: keys.instance,
    queryFn: ({ signal }) => api.get<Instance>('/instance', undefined, signal),
    refetchInterval: standingMs,
  });
