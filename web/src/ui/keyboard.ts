/** Window-wide shortcuts. Inactive while typing, while a dialog is open, and with a modifier key. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import * as words from '../words/shell.js';

const settingName = 'inlet.shortcuts';

/** Users of speech input or with tremor trigger letter keys unintentionally (WCAG 2.1.4), so these can be switched off. */
export const areLettersOn = (): boolean => {
  try {
    return localStorage.getItem(settingName) !== 'off';
  } catch {
    return true;
  }
};
export const switchLetters = (isOn: boolean): void => {
  try {
    localStorage.setItem(settingName, isOn ? 'on' : 'off');
  } catch {
    // Storage is full or blocked: the setting stays as it is.
  }
};

/** The palette's shortcut, as printed on the keys. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
export const commandKey = isApple ? words.commandKeyOfApple : words.commandKey;

const isTyping = (target: Element): boolean =>
  target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]');

/** Keys that the focused element handles itself. */
const ownKeys: readonly { readonly keys: readonly string[]; readonly of: string }[] = [
  { keys: ['Enter'], of: 'a, button, summary, [role=menuitem], [role=tab]' },
  // Arrows move through radio buttons and tabs, and scroll scrollable elements.
  { keys: ['ArrowLeft', 'ArrowRight'], of: 'input[type=radio], [role=tab], [role=slider], [tabindex="0"]' },
];
const isOwn = (target: Element, key: string): boolean =>
  ownKeys.some(({ keys, of }) => keys.includes(key) && target.matches(of));

/**
 * `useKeys({ '/': focusSearch, '?': showHelp })`, with names as in KeyboardEvent.key. `isHeardFirst` lets a page take precedence over
 * the same key in the frame.
 */
export function useKeys(
  bindings: Readonly<Record<string, () => void>>,
  enabled = true,
  isHeardFirst = false,
): void {
  const latest = useRef(bindings);
  // Before paint: a key pressed right after the page appears must act on what is on screen.
  useLayoutEffect(() => {
    latest.current = bindings;
  });
  useLayoutEffect(() => {
    if (!enabled) return;
    // In the capture phase, before a dialog reacts: the Esc that closes it must not also navigate back.
    let isCovered = false;
    const onBefore = () => {
      isCovered = document.querySelector('[role=dialog], [role=menu]') !== null;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (isCovered || isTyping(target) || isOwn(target, event.key)) return;
      if (event.key.length === 1 && !areLettersOn()) return;
      const work = latest.current[event.key];
      if (work === undefined) return;
      event.preventDefault();
      work();
    };
    window.addEventListener('keydown', onBefore, true);
    window.addEventListener('keydown', onKeyDown, isHeardFirst);
    return () => {
      window.removeEventListener('keydown', onBefore, true);
      window.removeEventListener('keydown', onKeyDown, isHeardFirst);
    };
  }, [enabled, isHeardFirst]);
}

interface Identified {
  readonly id: string;
}

/** The highlighted row: its id, and its index, which the next row takes over once this one has left the list. */
interface Cursor {
  readonly id: string | undefined;
  readonly index: number;
}
const nowhere: Cursor = { id: undefined, index: -1 };

/** A row stays highlighted when other rows are added or removed. */
function placeOf(items: readonly Identified[], { id, index }: Cursor): number {
  // Usually the row is still in its place, and the list may be long.
  if (index < 0 || items[index]?.id === id) return index;
  const place = items.findIndex((item) => item.id === id);
  return place < 0 ? Math.min(index, items.length - 1) : place;
}

interface ListKeys<Item extends Identified> {
  readonly items: readonly Item[];
  readonly onOpen: (item: Item) => void;
  /** Esc with no highlighted row: clears a selection, but never leaves the page. */
  readonly onBack?: () => void;
  /** Further keys for the highlighted row, such as `x` to select it. */
  readonly also?: Readonly<Record<string, (item: Item) => void>>;
  readonly enabled?: boolean;
  /** Renders an off-screen row before it gets the focus. */
  readonly reveal?: (index: number) => void;
}

/** Focuses the link or button that opens a row, so that screen readers announce it. */
function focusRow(index: number): void {
  const row = document.querySelector(`[data-row="${index}"]`);
  const opener =
    row?.querySelector<HTMLElement>('.row-link') ??
    row?.querySelector<HTMLElement>('a[href], button:enabled');
  opener?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
}

const rowWithFocus = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;

/**
 * j and k move the focus through a list, and so do the arrows once a row is highlighted. Enter opens, Esc lets go. Mark each row with
 * `data-active={index === active}` and `data-row={index}`. The element with the class `row-link` opens it, else its first link or
 * button. -1: no row is highlighted.
 */
export function useListKeys<Item extends Identified>(list: ListKeys<Item>) {
  const { items, onOpen, onBack, also = {}, enabled = true, reveal } = list;
  const [cursor, setCursor] = useState(nowhere);
  const active = placeOf(items, cursor);
  const shown = useRef(items);
  useLayoutEffect(() => {
    shown.current = items;
  });
  /** The id of a row that gets the focus once the list has it, unless the user focuses another row first. */
  const awaited = useRef<string | null>(null);
  const setActive = useCallback((index: number) => {
    awaited.current = null;
    const id = shown.current[index]?.id;
    // The focus event for the same row must not re-render the list.
    setCursor((now) => (now.id === id && now.index === index ? now : { id, index }));
  }, []);
  // Follows the focus however it got there: by Tab, by click, or restored on return before this listener existed.
  useEffect(() => {
    const follow = () => {
      const row = rowWithFocus();
      if (row !== null) setActive(Number(row.dataset.row));
    };
    follow();
    document.addEventListener('focusin', follow);
    return () => document.removeEventListener('focusin', follow);
  }, [setActive]);
  // The focused row was removed: focus the row now in its place.
  const lastCount = useRef(items.length);
  useEffect(() => {
    const isFewer = items.length < lastCount.current;
    lastCount.current = items.length;
    if (isFewer && active >= 0 && document.activeElement === document.body) focusRow(active);
  }, [items.length, active]);
  const go = (index: number) => {
    setActive(index);
    reveal?.(index);
    focusRow(index);
  };
  const goTo = (id: string): void => {
    awaited.current = id;
  };
  useEffect(() => {
    const place = awaited.current === null ? -1 : items.findIndex(({ id }) => id === awaited.current);
    // Not during rendering: an off-screen row has to be rendered first.
    if (place >= 0) queueMicrotask(() => go(place));
  });
  const letGo = () => {
    awaited.current = null;
    setCursor(nowhere);
    if (rowWithFocus() !== null && document.activeElement instanceof HTMLElement)
      document.activeElement.blur();
  };
  const chosen = items[active];
  useKeys(
    {
      j: () => go(Math.min(active + 1, items.length - 1)),
      k: () => go(Math.max(active - 1, 0)),
      // Before a row is highlighted, the arrows scroll the page.
      ...(active < 0
        ? {}
        : {
            ArrowDown: () => go(Math.min(active + 1, items.length - 1)),
            ArrowUp: () => go(Math.max(active - 1, 0)),
          }),
      ...(chosen === undefined ? {} : { Enter: () => onOpen(chosen) }),
      Escape: () => (active >= 0 ? letGo() : onBack?.()),
      ...(chosen === undefined
        ? {}
        : Object.fromEntries(Object.entries(also).map(([key, work]) => [key, () => work(chosen)]))),
    },
    enabled,
  );
  return {
    active,
    /** Highlights the row with this id as soon as the list has it. */
    goTo,
    /** Returns the focus to the highlighted row, after something opened for it closes. */
    goBack: () => active >= 0 && go(active),
    /** Removes the highlight. */
    letGo,
  };
}
