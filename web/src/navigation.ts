/**
 * The location of this window. Owns the history, and with it everything that must survive leaving a page: unsaved input, scroll
 * position and focus. Pages navigate with wouter as usual; app.tsx passes these hooks to its router.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { dashboardPath } from './page-facts.js';

interface Place {
  readonly path: string;
  readonly search: string;
  readonly hash: string;
  /** The index of its history entry. */
  readonly index: number;
}

/** The state of a history entry when it was left. */
interface Look {
  readonly address: string;
  readonly scrollY: number;
  /** The focused link. */
  readonly href: string | null;
  /** The page shown last before an explicit return (goBackTo). */
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
/** How the current page was left before; null when it is new. */
let lastLook: Look | null = null;

/** What is asked before work in progress is lost. */
export interface LeaveQuestion {
  readonly title: string;
  readonly text: string;
  readonly leave: string;
}

/** What would be lost by leaving, each with its question; null: unsaved changes. */
const unsaved = new Map<symbol, LeaveQuestion | null>();
/** The navigation blocked by unsaved input. */
let asked: { readonly work: () => void; readonly question: LeaveQuestion | null } | null = null;
/** What to do after our own next step in the history. */
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

/** Runs at once, or after the user agreed to lose unsaved changes. */
export function whenSaved(work: () => void): void {
  if (unsaved.size === 0) work();
  else {
    asked = { work, question: [...unsaved.values()].find((question) => question !== null) ?? null };
    tell();
  }
}

function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const { pathname, search } = new URL(to, window.location.href);
  // A filter that replaces another one belongs to the same page.
  const isLeaving = pathname !== shown.path || (!replace && search !== shown.search);
  if (isLeaving) whenSaved(() => go(to, replace));
  else go(to, replace);
}

/** Goes to a dashboard path after the input of this page was saved, or its object deleted. */
export function leaveFor(path: string): void {
  unsaved.clear();
  go(dashboardPath + path, false);
}

/** Returns to the list the user came from, as it was left. If it is not the previous history entry, it replaces this page. */
export function goBackTo(path: string): void {
  const address = dashboardPath + path;
  const look = looks.get(shown.index - 1);
  if (look?.address === address) {
    // The user may have moved on from what was opened there.
    looks.set(shown.index - 1, { ...look, leftHref: shown.path });
    window.history.back();
  } else navigate(address, { replace: true });
}

/** The URL fragment without the `#`; empty when there is none. */
export const useFragment = (): string => useSyncExternalStore(subscribe, () => shown.hash.slice(1));
/** Another submission beside a list loses a note that is being written there, so this asks, too. */
export function replaceFragment(fragment: string): void {
  if (fragment === shown.hash.slice(1)) return;
  whenSaved(() => go(`${shown.path}${shown.search}${fragment === '' ? '' : `#${fragment}`}`, true));
}

/** Everything loaded on this page belongs to another user. */
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
  // The browser has already navigated. Step back before anything is rendered, and only then ask.
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

/** Whether the current page was left before and is being returned to. */
export const isReturning = (): boolean => lastLook !== null;

export const usePlace = (): [string, typeof navigate] => [
  useSyncExternalStore(subscribe, () => shown.path),
  navigate,
];
export const useSearchString = (): string => useSyncExternalStore(subscribe, () => shown.search);

/** While true, leaving the page asks for confirmation. `question` (a constant) if it is about anything but unsaved changes. */
export function useUnsaved(isUnsaved: boolean, question: LeaveQuestion | null = null): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const token = Symbol();
    unsaved.set(token, question);
    return () => void unsaved.delete(token);
  }, [isUnsaved, question]);
}

const stay = (): void => {
  asked = null;
  tell();
};
const leave = (): void => {
  const work = asked?.work;
  stay();
  work?.();
};
/** Whether the user has to be asked what, and the two possible replies. */
export const useLeaving = () => ({
  asked: useSyncExternalStore(subscribe, () => asked),
  stay,
  leave,
});

/** A virtualized list renders only rows near the viewport: the row just focused may be removed and rendered once more. */
const settleMs = 1_000;
/** Blanks stand in for the other rows, with a height that is not exact to the pixel. */
const nearPixels = 8;

const linkTo = (main: HTMLElement, href: string | null | undefined): HTMLElement | null =>
  href == null ? null : main.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`);

/** Restores scroll position and focus as soon as the former content is there again. Returns a function that stops trying. */
function restore(main: HTMLElement, { scrollY, href, leftHref }: Look): () => void {
  const own = new AbortController();
  const stop = (): void => own.abort();
  let settling: ReturnType<typeof setTimeout> | undefined;
  const settle = (): void => {
    stop();
    // After moving on from what was opened here, the row to return to may be further down.
    if (leftHref !== href) linkTo(main, leftHref)?.scrollIntoView({ block: 'nearest' });
  };
  const attempt = (): void => {
    window.scrollTo(0, scrollY);
    const link = linkTo(main, leftHref) ?? linkTo(main, href);
    link?.focus({ preventScroll: true });
    const isRestored = Math.abs(window.scrollY - scrollY) < nearPixels && (href === null || link !== null);
    if (isRestored) settling ??= setTimeout(settle, settleMs);
  };
  // The page loads in pieces. Stop as soon as the user does something.
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
 * After a page change: a new page starts at its top, a returned one is restored. Focus moves into the page unless it is already there,
 * on a tab for instance.
 */
export function useArrival(main: RefObject<HTMLElement | null>): void {
  const [path] = usePlace();
  const arrivedAt = useRef(path);
  useLayoutEffect(() => {
    const element = main.current;
    if (element === null || arrivedAt.current === path) return;
    arrivedAt.current = path;
    const { activeElement } = document;
    // While the new page loads, the previous one is hidden, and with it the focused element.
    const isSeen = activeElement !== null && activeElement.getClientRects().length > 0;
    if (lastLook === null && isSeen && element.contains(activeElement)) return;
    window.scrollTo(0, 0);
    element.focus({ preventScroll: true });
    return lastLook === null ? undefined : restore(element, lastLook);
  }, [main, path]);
}

/** For a section with its own fragment: scrolls to it and focuses it when the URL names it. */
export function useAnchor<Part extends HTMLElement>(id: string): RefObject<Part | null> {
  const part = useRef<Part>(null);
  // A returned page is restored as it was left.
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
