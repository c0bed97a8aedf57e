/** The signed-in user, synchronized across the windows of a browser. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, api } from './api.js';
import { dashboardPath } from './page-facts.js';
import { meetUser } from './session-expiry.js';
import type { Session, SetupState } from './wire.js';

const sessionKey = ['session'];
/** Only a hint: each window asks the server itself. */
const windows = new BroadcastChannel('inlet.session');

const orNobody = async (asking: Promise<Session>): Promise<Session | null> => {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
};

/** null: nobody is signed in. */
export const useSession = () =>
  useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => orNobody(api.get<Session>('/session', undefined, signal)),
    staleTime: 60_000,
  });

export const useSetup = () =>
  useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => api.get<SetupState>('/setup', undefined, signal),
  });

/** Cached data of one user must not be shown to the next. The session itself stays, because the guard observes it. */
const forgetAll = (client: QueryClient): void =>
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });

const enter = (client: QueryClient, session: Session): void => {
  meetUser(session.user.id);
  client.setQueryData(sessionKey, session);
};

const leave = (client: QueryClient): void => {
  meetUser(null);
  client.setQueryData(sessionKey, null);
  forgetAll(client);
};

const useEntering = (path: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Readonly<Record<string, string>>) => api.post<Session>(path, body),
    onSuccess: (session) => {
      enter(client, session);
      windows.postMessage(null);
    },
  });
};
export const useSignIn = () => useEntering('/session');
/** The second step, for logins with a second factor. */
export const useShowFactor = () => useEntering('/session/second-factor');
/** With a passkey alone, or as the second factor with the `pending` token of a password sign-in. */
export const useSignInWithPasskey = () => {
  const entering = useEntering('/session/passkey');
  return useMutation({
    mutationFn: async (pending: string | null) => {
      const { passkeyAnswer } = await import('./passkeys.js');
      const answer = await passkeyAnswer(pending === null);
      return entering.mutateAsync(pending === null ? answer : { ...answer, pending_token: pending });
    },
  });
};
export const useCompleteSetup = () => useEntering('/setup');

/** A full page load, because everything cached belongs to another account. */
const beginAnew = (): void => window.location.assign(dashboardPath);

/** In this and all other windows. */
export function switched(): void {
  windows.postMessage(null);
  beginAnew();
}

/** Users with a role in some projects only see neither users nor API keys. `useMay` is more precise, but is loaded with the pages. */
export const useIsOfAccount = (): boolean => (useSession().data?.user.role ?? null) !== null;

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete('/session'),
    // Requests rejected from now on must not wait for a renewed session.
    onMutate: () => meetUser(null),
    onError: () => meetUser(client.getQueryData<Session | null>(sessionKey)?.user.id ?? null),
    onSuccess: () => {
      const next = client.getQueryData<Session | null>(sessionKey)?.sign_out_url ?? null;
      leave(client);
      windows.postMessage(null);
      // The next person at this browser could otherwise sign in with the provider without a password.
      if (next !== null) window.location.assign(next);
    },
  });
}

/** Follows sign-ins and sign-outs in other windows, and reports the user to `session-expiry`. */
export function useSessionWatch(session: Session | null | undefined): void {
  const client = useQueryClient();
  const userId = session?.user.id ?? null;
  useEffect(() => meetUser(userId), [userId]);
  useEffect(() => {
    const look = async () => {
      const now = await orNobody(api.peek<Session>('/session'));
      const before = client.getQueryData<Session | null>(sessionKey);
      if (now === null) leave(client);
      else if (before && before.user.id !== now.user.id) beginAnew();
      else enter(client, now);
    };
    // If the server cannot be reached, the next request finds out.
    const onMessage = () => void look().catch(() => {});
    windows.addEventListener('message', onMessage);
    return () => windows.removeEventListener('message', onMessage);
  }, [client]);
}
