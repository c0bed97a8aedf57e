/** Queries and mutations of the account-wide pages: all forms by name, quarantine, API keys, users. */
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQueryClient,
} from '@tanstack/react-query';
import { api, type Query } from './api.js';
import { archivedFormsToo, formsOfProject, keys, useProjects } from './queries.js';
import type {
  AccountFull,
  ApiKeyCreated,
  AuditPage,
  ChangeUser,
  CreateApiKey,
  CreateUser,
  QuarantineEmptied,
  QuarantineList,
  QuarantineReleased,
  Submission,
  UpdateAccount,
  User,
} from './wire.js';

export interface NamedForm {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly projectName: string;
}

/** The forms of further projects are not loaded. */
const maxProjects = 50;
/** Per request. */
const maxReleased = 100;
const maxDeleted = 1_000;

/** The forms of all projects, for pickers and to show a row's form by name. */
export function useAllForms(): readonly NamedForm[] {
  const projects = useProjects().data ?? [];
  return useQueries({
    queries: projects.slice(0, maxProjects).map(({ id }) => ({ ...formsOfProject(id), staleTime: 60_000 })),
  }).flatMap(({ data }, index) =>
    (data?.data ?? []).map(({ id, name }) => ({
      id,
      name,
      projectId: projects[index]?.id ?? '',
      projectName: projects[index]?.name ?? '',
    })),
  );
}

interface NamesNow {
  readonly names: ReadonlyMap<string, string>;
  /** True when an id without a name was deleted. */
  readonly isComplete: boolean;
}

/** The current names of projects and forms by id, including archived ones. */
export function useNamesNow(): NamesNow {
  const projects = useProjects();
  const asked = projects.data?.slice(0, maxProjects) ?? [];
  const forms = useQueries({
    queries: asked.map(({ id }) => ({ ...archivedFormsToo(id), staleTime: 60_000 })),
  });
  const pairs = [...(projects.data ?? []), ...forms.flatMap(({ data }) => data?.data ?? [])];
  return {
    names: new Map(pairs.map(({ id, name }) => [id, name])),
    isComplete:
      projects.data !== undefined &&
      projects.data.length <= maxProjects &&
      forms.every(({ data }) => data !== undefined),
  };
}

const useAccountChange = <Input, Answer>(
  work: (input: Input) => Promise<Answer>,
  changed: readonly (readonly string[])[],
) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: () => Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
};

/** Does not refetch the quarantine list: the row stays where it is and links to the released submission. */
export const useReleaseSpam = () =>
  useAccountChange(
    (id: string) => api.post<Submission>(`/spam/${id}/release`),
    [keys.submissions, keys.attention, keys.stats, keys.projects],
  );

/** Releases in batches. Batches that succeeded before a failure are still reported through `onReleased`. */
export const useReleaseManySpam = (onReleased: (released: QuarantineReleased['data']) => void) =>
  useAccountChange(
    async (ids: readonly string[]) => {
      for (let at = 0; at < ids.length; at += maxReleased) {
        const body = { ids: ids.slice(at, at + maxReleased) };
        onReleased((await api.post<QuarantineReleased>('/spam/release', body)).data);
      }
    },
    [keys.submissions, keys.attention, keys.stats, keys.projects],
  );

/** Removes only these rows from the list. Rows already released stay, with their links. */
function dropSpam(client: QueryClient, deleted: ReadonlySet<string>): Promise<void> {
  client.setQueriesData<InfiniteData<QuarantineList>>(
    { queryKey: keys.spam },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({ ...page, data: page.data.filter(({ id }) => !deleted.has(id)) })),
      },
  );
  return client.invalidateQueries({ queryKey: keys.attention });
}

export function useDeleteSpam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.delete(`/spam/${id}`),
    onSuccess: (_, deleted) => dropSpam(client, new Set([deleted])),
  });
}

export function useDeleteManySpam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (let at = 0; at < ids.length; at += maxDeleted) {
        const batch = ids.slice(at, at + maxDeleted);
        await api.post('/spam/delete', { ids: batch });
        await dropSpam(client, new Set(batch));
      }
    },
  });
}

/** `formId` null empties the quarantine of the whole account. */
export const useEmptySpam = (formId: string | null) =>
  useAccountChange(async () => {
    const body = formId === null ? {} : { form_id: formId };
    while (!(await api.post<QuarantineEmptied>('/spam/empty', body)).is_empty);
  }, [keys.spam, keys.attention]);

export const useCreateApiKey = () =>
  useAccountChange((body: CreateApiKey) => api.post<ApiKeyCreated>('/api-keys', body), [keys.apiKeys]);
export const useRevokeApiKey = () =>
  useAccountChange((id: string) => api.delete(`/api-keys/${id}`), [keys.apiKeys]);

/** Also refreshes the session: the account's requirements apply to the signed-in user. */
export const useUpdateAccount = () =>
  useAccountChange(
    (body: UpdateAccount) => api.patch<AccountFull>('/account', body),
    [keys.account, ['session']],
  );

export const useAddUser = () =>
  useAccountChange((body: CreateUser) => api.post<User>('/users', body), [keys.users]);
export const useChangeUser = () =>
  useAccountChange(
    ({ id, ...body }: ChangeUser & { readonly id: string }) => api.patch<User>(`/users/${id}`, body),
    [keys.users, ['session']],
  );
export const useRemoveUser = () => useAccountChange((id: string) => api.delete(`/users/${id}`), [keys.users]);

const auditPerPage = 50;

export const useAuditLog = (filters: Query) =>
  useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      api.get<AuditPage>('/audit', { ...filters, limit: auditPerPage, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
