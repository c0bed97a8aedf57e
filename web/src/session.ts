/** Who is signed in: in this window, and in the other ones of the same browser. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, api } from './api.js';
import { dashboardPath } from './page-facts.js';
import { meetUser } from './session-expiry.js';
import type { Session, SetupState } from './wire.js';

const sessionKey = ['session'];
/** Other windows look for themselves: a message is no proof. */
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

/** What somebody saw in this window is not for the next one. The session itself stays: the guard looks at it. */
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
/** The second step, for a login with a second factor. */
export const useShowFactor = () => useEntering('/session/second-factor');
/** With a passkey alone, or with `pending` of a password. */
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

/** Everything is another account's from now on. */
const beginAnew = (): void => window.location.assign(dashboardPath);

/** Here and in the other windows. */
export function switched(): void {
  windows.postMessage(null);
  beginAnew();
}

/** Who has a part in some projects only sees neither users nor keys. `useMay` says more, and is loaded with the pages. */
export const useIsOfAccount = (): boolean => (useSession().data?.user.role ?? null) !== null;

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete('/session'),
    // What is refused from now on is not to be renewed.
    onMutate: () => meetUser(null),
    onError: () => meetUser(client.getQueryData<Session | null>(sessionKey)?.user.id ?? null),
    onSuccess: () => {
      leave(client);
      windows.postMessage(null);
    },
  });
}

/** Follows the user who signs in or out in another window, and tells `session-expiry` who is here. */
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
    // Where the server cannot be reached, the next request will tell.
    const onMessage = () => void look().catch(() => {});
    windows.addEventListener('message', onMessage);
    return () => windows.removeEventListener('message', onMessage);
  }, [client]);
}
