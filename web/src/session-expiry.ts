/**
 * Handles a session that expires while the dashboard is open. Rejected requests wait, ui/sign-in-again.tsx asks the user to sign in
 * once for all of them, and they are sent again. Without a signed-in user nothing waits.
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

/** The number of renewed sign-ins. A request remembers it, to distinguish an old rejection from a new one. */
export const renewalsSoFar = (): number => renewals;

/** Resolves to true when the same user has signed in again, and to false when nobody was signed in here or the user signed out. */
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

/** Reports the signed-in user; null: nobody. Pending requests of one user are never sent as another. */
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
