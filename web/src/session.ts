/** Who is signed in: in this window, and in the other ones of the same browser. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, api } from './api.js';
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
export const useCompleteSetup = () => useEntering('/setup');

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
      if (now === null) leave(client);
      else enter(client, now);
    };
    // Where the server cannot be reached, the next request will tell.
    const onMessage = () => void look().catch(() => {});
    windows.addEventListener('message', onMessage);
    return () => windows.removeEventListener('message', onMessage);
  }, [client]);
}
