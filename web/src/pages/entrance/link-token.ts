/** The token of a link that opened this page. */
import { useCallback, useEffect, useState } from 'react';

/** Taken out of the address, so that it stays in no history; this tab keeps it until it is used, or reloading would lose it. */
function takeToken(storageKey: string): string {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';
  if (token === '') return window.sessionStorage.getItem(storageKey) ?? '';
  window.sessionStorage.setItem(storageKey, token);
  window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

/** `page` keeps the tokens of different links apart. Empty: the link has none. */
export function useLinkToken(page: string): { readonly token: string; readonly forget: () => void } {
  const storageKey = `inlet-${page}-token`;
  const [token, setToken] = useState(() => takeToken(storageKey));
  useEffect(() => {
    // The link pasted over this page loads nothing: only what stands behind the # is new.
    const takeAgain = () => setToken(takeToken(storageKey));
    window.addEventListener('hashchange', takeAgain);
    return () => window.removeEventListener('hashchange', takeAgain);
  }, [storageKey]);
  const forget = useCallback(() => window.sessionStorage.removeItem(storageKey), [storageKey]);
  return { token, forget };
}
