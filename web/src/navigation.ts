/**
 * Where this window is. It owns the history, and so what must not get lost when a page is left: unsaved input, the scroll position
 * and the focus. Pages navigate with wouter as usual; app.tsx gives these hooks to its router.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { dashboardPath } from './page-facts.js';

interface Place {
  readonly path: string;
  readonly search: string;
  readonly hash: string;
  /** The place of its entry in the history. */
  readonly index: number;
}

/** What an entry of the history looked like when it was left. */
interface Look {
  readonly address: string;
  readonly scrollY: number;
  /** The link that had the focus. */
  readonly href: string | null;
  /** The page that was shown last before the way back, if one took it on purpose. */
  readonly leftHref?: string;
}

const indexIn = (state: unknown): number | null =>
  typeof state === 'object' && state !== null && 'index' in state && typeof state.index === 'number'
    ? state.index
    : null;
const here = (index: number): Place => ({
  path: window.location.pathname,
  search: window.location.search,
  hash: window.location.hash,
  index,
});

let shown = here(indexIn(window.history.state) ?? 0);
const looks = new Map<number, Look>();
/** How the page that is shown was left before; null: it is new. */
let lastLook: Look | null = null;

const unsaved = new Set<symbol>();
/** What was to be done when unsaved input stood in its way. */
let asked: (() => void) | null = null;
/** Our own steps in the history: what to do when the next one has been made. */
let onStep: (() => void) | null = null;

const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function remember(): void {
  looks.set(shown.index, {
    address: shown.path + shown.search,
    scrollY: window.scrollY,
    href: document.activeElement?.closest('main a')?.getAttribute('href') ?? null,
  });
}

function show(place: Place, look: Look | null): void {
  const isOtherPage = place.path !== shown.path;
  shown = place;
  if (isOtherPage || look === null) lastLook = look;
  tell();
}

function go(to: string, isReplacing: boolean): void {
  remember();
  const index = isReplacing ? shown.index : shown.index + 1;
  if (isReplacing) window.history.replaceState({ index }, '', to);
  else window.history.pushState({ index }, '', to);
  show(here(index), null);
}

/** At once, or when the person has agreed to lose what is not saved. */
export function whenSaved(work: () => void): void {
  if (unsaved.size === 0) work();
  else {
    asked = work;
    tell();
  }
}

function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const { pathname, search } = new URL(to, window.location.href);
  // A filter that replaces another belongs to the same page.
  const isLeaving = pathname !== shown.path || (!replace && search !== shown.search);
  if (isLeaving) whenSaved(() => go(to, replace));
  else go(to, replace);
}

/** To a path of the dashboard, where the input of this page was saved, or what it belonged to is gone. */
export function leaveFor(path: string): void {
  unsaved.clear();
  go(dashboardPath + path, false);
}

/** Back to the list that one came from, which is as it was; where there is none in the history, in the place of this page. */
export function goBackTo(path: string): void {
  const address = dashboardPath + path;
  const look = looks.get(shown.index - 1);
  if (look?.address === address) {
    // One may have gone on from what was opened there.
    looks.set(shown.index - 1, { ...look, leftHref: shown.path });
    window.history.back();
  } else navigate(address, { replace: true });
}

/** What the address names on this page, after the `#`; nothing: an empty text. */
export const useFragment = (): string => useSyncExternalStore(subscribe, () => shown.hash.slice(1));
export function replaceFragment(fragment: string): void {
  if (fragment === shown.hash.slice(1)) return;
  go(`${shown.path}${shown.search}${fragment === '' ? '' : `#${fragment}`}`, true);
}

/** All that this page knows and holds is for somebody else. */
export function reloadAnyway(): void {
  unsaved.clear();
  window.location.reload();
}

window.history.scrollRestoration = 'manual';
window.history.replaceState({ index: shown.index }, '');
window.addEventListener('popstate', ({ state }) => {
  const place = here(indexIn(state) ?? shown.index);
  const steps = place.index - shown.index;
  if (onStep !== null) {
    const work = onStep;
    onStep = null;
    return work();
  }
  const arrive = (): void => {
    remember();
    show(here(place.index), looks.get(place.index) ?? null);
  };
  if (unsaved.size === 0 || steps === 0) return arrive();
  // The browser has gone there already. Nobody sees it: back, and only then ask.
  onStep = () =>
    whenSaved(() => {
      onStep = arrive;
      window.history.go(steps);
    });
  window.history.go(-steps);
});
window.addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** Whether the page that is shown was left before and is now come back to. */
export const isReturning = (): boolean => lastLook !== null;

/** For wouter's router. */
export const usePlace = (): [string, typeof navigate] => [
  useSyncExternalStore(subscribe, () => shown.path),
  navigate,
];
export const useSearchString = (): string => useSyncExternalStore(subscribe, () => shown.search);

/** While true, nobody leaves the page without being asked. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const token = Symbol();
    unsaved.add(token);
    return () => void unsaved.delete(token);
  }, [isUnsaved]);
}

const stay = (): void => {
  asked = null;
  tell();
};
const leave = (): void => {
  const work = asked;
  stay();
  work?.();
};
/** Whether the person has to be asked, and the two things that they can say. */
export const useLeaving = () => ({
  isAsked: useSyncExternalStore(subscribe, () => asked !== null),
  stay,
  leave,
});

/** A long list draws what is near the window: what has just got the focus may go and come once more. */
const settleMs = 1_000;
/** And blanks stand for the other rows, not to the pixel. */
const nearPixels = 8;

const linkTo = (main: HTMLElement, href: string | null | undefined): HTMLElement | null =>
  href == null ? null : main.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`);

/** Scrolls and focuses as before, as soon as what was there is there again. Returns how to stop trying. */
function restore(main: HTMLElement, { scrollY, href, leftHref }: Look): () => void {
  const own = new AbortController();
  const stop = (): void => own.abort();
  let settling: ReturnType<typeof setTimeout> | undefined;
  const settle = (): void => {
    stop();
    // Who went on from what was opened here comes back to a row that may be further down.
    if (leftHref !== href) linkTo(main, leftHref)?.scrollIntoView({ block: 'nearest' });
  };
  const attempt = (): void => {
    window.scrollTo(0, scrollY);
    const link = linkTo(main, leftHref) ?? linkTo(main, href);
    link?.focus({ preventScroll: true });
    const isRestored = Math.abs(window.scrollY - scrollY) < nearPixels && (href === null || link !== null);
    if (isRestored) settling ??= setTimeout(settle, settleMs);
  };
  // The page is loaded in pieces. Somebody who does something meanwhile is not moved any more.
  const observer = new MutationObserver(attempt);
  observer.observe(main, { childList: true, subtree: true });
  own.signal.addEventListener('abort', () => {
    observer.disconnect();
    clearTimeout(settling);
  });
  for (const event of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    window.addEventListener(event, stop, { signal: own.signal });
  attempt();
  return stop;
}

/**
 * After a change of the page: a new one begins at its top, one that was left is as it was. The focus moves into it, unless it is
 * there, on a tab for instance.
 */
export function useArrival(main: RefObject<HTMLElement | null>): void {
  const [path] = usePlace();
  const arrivedAt = useRef(path);
  useLayoutEffect(() => {
    const element = main.current;
    if (element === null || arrivedAt.current === path) return;
    arrivedAt.current = path;
    const { activeElement } = document;
    // While the new page is loaded, the one before is hidden, and with it what had the focus.
    const isSeen = activeElement !== null && activeElement.getClientRects().length > 0;
    if (lastLook === null && isSeen && element.contains(activeElement)) return;
    window.scrollTo(0, 0);
    element.focus({ preventScroll: true });
    return lastLook === null ? undefined : restore(element, lastLook);
  }, [main, path]);
}

/** For a part of a page that has an address of its own: it is scrolled to, and gets the focus, when the address names it. */
export function useAnchor<Part extends HTMLElement>(id: string): RefObject<Part | null> {
  const part = useRef<Part>(null);
  // On the way back the page is as it was left.
  const arrival = useSyncExternalStore(subscribe, () =>
    shown.hash === `#${id}` && lastLook === null ? shown.index : -1,
  );
  useEffect(() => {
    if (arrival < 0) return;
    part.current?.scrollIntoView();
    part.current?.focus({ preventScroll: true });
  }, [arrival]);
  return part;
}
