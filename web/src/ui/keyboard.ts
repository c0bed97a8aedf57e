/** Keys of the whole window. They are silent while somebody types, while a dialog is open, and with a modifier held. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import * as words from '../words/shell.js';

const settingName = 'inlet.shortcuts';

/** People who dictate, or whose hands shake, press letters without meaning to (WCAG 2.1.4). */
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
    // A full or forbidden store: the shortcuts stay as they are.
  }
};

/** The palette's, as it is printed on the keys. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
export const commandKey = isApple ? words.commandKeyOfApple : words.commandKey;

const isTyping = (target: Element): boolean =>
  target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]');

/** Keys that mean something to what has the focus are its own. */
const ownKeys: readonly { readonly keys: readonly string[]; readonly of: string }[] = [
  { keys: ['Enter'], of: 'a, button, summary, [role=menuitem], [role=tab]' },
  // Radio buttons and tabs are walked through with the arrows, and what scrolls is scrolled.
  { keys: ['ArrowLeft', 'ArrowRight'], of: 'input[type=radio], [role=tab], [role=slider], [tabindex="0"]' },
];
const isOwn = (target: Element, key: string): boolean =>
  ownKeys.some(({ keys, of }) => keys.includes(key) && target.matches(of));

/**
 * `useKeys({ '/': focusSearch, '?': showHelp })`; names as in KeyboardEvent.key. A page that wants a key which the frame
 * has too asks to be heard first.
 */
export function useKeys(
  bindings: Readonly<Record<string, () => void>>,
  enabled = true,
  isHeardFirst = false,
): void {
  const latest = useRef(bindings);
  // Before the page is painted: anyone who sees it may press a key at once, and means what is on the screen.
  useLayoutEffect(() => {
    latest.current = bindings;
  });
  useLayoutEffect(() => {
    if (!enabled) return;
    // Seen before anybody hears the key: the Esc that closes a dialog is not also a way back.
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

/** The highlighted row: what it shows, and its place, which the next one takes once it has left the list. */
interface Cursor {
  readonly id: string | undefined;
  readonly index: number;
}
const nowhere: Cursor = { id: undefined, index: -1 };

/** A row stays highlighted wherever others that come or go put it. */
function placeOf(items: readonly Identified[], { id, index }: Cursor): number {
  // Mostly it is where it was, and a list can be long.
  if (index < 0 || items[index]?.id === id) return index;
  const place = items.findIndex((item) => item.id === id);
  return place < 0 ? Math.min(index, items.length - 1) : place;
}

interface ListKeys<Item extends Identified> {
  readonly items: readonly Item[];
  readonly onOpen: (item: Item) => void;
  /** Esc while no row is highlighted: gives up a selection, and never leads to another page. */
  readonly onBack?: () => void;
  /** Further keys for the highlighted row, such as `x` to select it. */
  readonly also?: Readonly<Record<string, (item: Item) => void>>;
  readonly enabled?: boolean;
  /** Draws a row that is not drawn, before it gets the focus. */
  readonly reveal?: (index: number) => void;
}

/** The link or button that opens a row: screen readers say it when it gets the focus. */
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
 * j and k, and once a row is highlighted the arrows, move the focus through a list, Enter opens, Esc lets go. Mark each row with `data-active={index === active}` and
 * `data-row={index}`, and let the link with the class `row-link`, or else its first link or button, be what opens it. -1: no row is highlighted.
 */
export function useListKeys<Item extends Identified>(list: ListKeys<Item>) {
  const { items, onOpen, onBack, also = {}, enabled = true, reveal } = list;
  const [cursor, setCursor] = useState(nowhere);
  const active = placeOf(items, cursor);
  const shown = useRef(items);
  useLayoutEffect(() => {
    shown.current = items;
  });
  /** The id of a row that gets the focus as soon as the list has it, unless somebody goes elsewhere before. */
  const awaited = useRef<string | null>(null);
  const setActive = useCallback((index: number) => {
    awaited.current = null;
    const id = shown.current[index]?.id;
    // The focus follows the key to the same row, and must not draw the list once more.
    setCursor((now) => (now.id === id && now.index === index ? now : { id, index }));
  }, []);
  // However the focus came there: by Tab, by a click, or on the way back to the list, where it is before this listens.
  useEffect(() => {
    const follow = () => {
      const row = rowWithFocus();
      if (row !== null) setActive(Number(row.dataset.row));
    };
    follow();
    document.addEventListener('focusin', follow);
    return () => document.removeEventListener('focusin', follow);
  }, [setActive]);
  // The row that had the focus was moved away: the next one has its place, and gets it.
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
    // Not in the midst of drawing: what is out of sight has to be drawn first.
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
    /** To the row of that id, as soon as the list has it. */
    goTo,
    /** To the highlighted row, from something that was opened for it. */
    goBack: () => active >= 0 && go(active),
    /** No row is highlighted any more. */
    letGo,
  };
}
