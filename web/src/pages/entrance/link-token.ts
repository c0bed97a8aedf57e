/** The token of the link that opened this page. */
import { useCallback, useEffect, useState } from 'react';

/** Removed from the URL so that it stays in no history. Session storage keeps it until it is used, so that a reload does not lose it. */
function takeToken(storageKey: string): string {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';
  if (token === '') return window.sessionStorage.getItem(storageKey) ?? '';
  window.sessionStorage.setItem(storageKey, token);
  window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

/** `page` separates the tokens of different links. Returns an empty token when the link has none. */
export function useLinkToken(page: string): { readonly token: string; readonly forget: () => void } {
  const storageKey = `inlet-${page}-token`;
  const [token, setToken] = useState(() => takeToken(storageKey));
  useEffect(() => {
    // Pasting another link over this page only changes the fragment, so nothing reloads.
    const takeAgain = () => setToken(takeToken(storageKey));
    window.addEventListener('hashchange', takeAgain);
    return () => window.removeEventListener('hashchange', takeAgain);
  }, [storageKey]);
  const forget = useCallback(() => window.sessionStorage.removeItem(storageKey), [storageKey]);
  return { token, forget };
}
