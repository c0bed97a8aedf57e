/**
 * What happens when the server no longer knows the person of this window. Requests that were refused wait, ui/sign-in-again.tsx asks
 * once for all of them, and they are sent again. While nobody is signed in, nothing waits.
 */
import { useSyncExternalStore } from 'react';
import { reloadAnyway } from './navigation.js';

let userId: string | null = null;
let renewals = 0;
let renewal: { readonly ended: Promise<void>; readonly end: () => void } | null = null;

const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const tell = (): void => {
  for (const listener of listeners) listener();
};

function openRenewal(): { readonly ended: Promise<void>; readonly end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

/** How often somebody signed in again. A request remembers it, to tell an old refusal from a new one. */
export const renewalsSoFar = (): number => renewals;

/** Resolves when the same person has signed in again; false: nobody was signed in here, or they signed out. */
export async function renewedSince(sent: number): Promise<boolean> {
  if (userId === null) return false;
  if (renewals > sent) return true;
  if (renewal === null) {
    renewal = openRenewal();
    tell();
  }
  await renewal.ended;
  return renewals > sent;
}

/** Who the server says is there; null: nobody. What the first one began is never sent in the name of another. */
export function meetUser(id: string | null): void {
  if (userId !== null && id !== null && id !== userId) {
    reloadAnyway();
    return;
  }
  userId = id;
  if (renewal === null) return;
  if (id !== null) renewals += 1;
  renewal.end();
  renewal = null;
  tell();
}

export const useIsExpired = (): boolean => useSyncExternalStore(subscribe, () => renewal !== null);
