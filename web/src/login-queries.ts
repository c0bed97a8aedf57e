/** Queries and mutations of a user's own login, and of an account's invitations. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.js';
import type { addPasskey } from './passkeys.js';
import type {
  AuthenticatorSecret,
  ChangeEmail,
  ChangePassword,
  CreateInvitation,
  FactorState,
  InvitationCreated,
  InvitationFound,
  InvitationList,
  LoginEmail,
  RecoveryCodes,
  SessionList,
} from './wire.js';

const invitationsKey = ['invitations'];
const sessionsKey = ['own-sessions'];
const factorsKey = ['own-factors'];

const useChange = <Input, Answer>(work: (input: Input) => Promise<Answer>, changed: readonly string[]) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: () => client.invalidateQueries({ queryKey: changed }),
  });
};

export const useInvitations = () =>
  useQuery({
    queryKey: invitationsKey,
    queryFn: ({ signal }) => api.get<InvitationList>('/users/invitations', undefined, signal),
    select: ({ data }) => data,
  });
export const useInvite = () =>
  useChange(
    (body: CreateInvitation) => api.post<InvitationCreated>('/users/invitations', body),
    invitationsKey,
  );
export const useRevokeInvitation = () =>
  useChange((id: string) => api.delete(`/users/invitations/${id}`), invitationsKey);

export const useOwnSessions = () =>
  useQuery({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => api.get<SessionList>('/session/list', undefined, signal),
    select: ({ data }) => data,
  });
export const useEndSession = () => useChange((id: string) => api.delete(`/session/list/${id}`), sessionsKey);
export const useEndOtherSessions = () => useChange(() => api.delete('/session/list'), sessionsKey);

/** Ends all other sessions. */
export const useChangePassword = () =>
  useChange((body: ChangePassword) => api.put<void>('/session/password', body), sessionsKey);

export const useFactors = () =>
  useQuery({
    queryKey: factorsKey,
    queryFn: ({ signal }) => api.get<FactorState>('/session/factors', undefined, signal),
  });

interface Password {
  readonly current_password: string;
}
export const useBeginAuthenticator = () =>
  useMutation({ mutationFn: (body: Password) => api.post<AuthenticatorSecret>('/session/totp', body) });
export const useConfirmAuthenticator = () =>
  useChange((code: string) => api.put<RecoveryCodes>('/session/totp', { code }), factorsKey);
export const useRemoveAuthenticator = () =>
  useChange((body: Password) => api.delete<void>('/session/totp', body), factorsKey);
export const useRenewRecoveryCodes = () =>
  useChange((body: Password) => api.post<RecoveryCodes>('/session/recovery-codes', body), factorsKey);

export const useAddPasskey = () =>
  useChange(
    async (input: Parameters<typeof addPasskey>[0]) => (await import('./passkeys.js')).addPasskey(input),
    factorsKey,
  );
export const useRenamePasskey = () =>
  useChange(
    ({ id, name }: { readonly id: string; readonly name: string }) =>
      api.patch<void>(`/session/passkeys/${id}`, { name }),
    factorsKey,
  );
export const useRemovePasskey = () =>
  useChange(
    ({ id, ...body }: Password & { readonly id: string }) =>
      api.delete<void>(`/session/passkeys/${id}`, body),
    factorsKey,
  );

export const useRequestEmailChange = () =>
  useMutation({ mutationFn: (body: ChangeEmail) => api.put<void>('/session/email', body) });
export const useConfirmEmailChange = () =>
  useMutation({
    mutationFn: (token: string) => api.post<LoginEmail>('/session/email/confirm', { token }),
  });

export const useRequestReset = () =>
  useMutation({ mutationFn: (email: string) => api.post<void>('/session/reset', { email }) });
export const useCompleteReset = () =>
  useMutation({
    mutationFn: (body: { readonly token: string; readonly password: string }) =>
      api.post<LoginEmail>('/session/reset/complete', body),
  });

export const useFoundInvitation = (token: string) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api.post<InvitationFound>('/session/invitation/find', { token }),
    enabled: token !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
/** `password` is for a new login. Without it, the current session joins the account. */
export const useAcceptInvitation = () =>
  useMutation({
    mutationFn: (body: { readonly token: string; readonly password?: string }) =>
      api.post<void>('/session/invitation', body),
  });
