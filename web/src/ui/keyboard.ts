/** Keys of the whole window. They are silent while somebody types, while a dialog is open, and with a modifier held. */
import { useEffect, useRef, useState } from 'react';

const isTyping = (target: Element): boolean =>
  target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]');

/** Enter on a link or a button is theirs. */
const takesEnter = (target: Element): boolean =>
  target.matches('a, button, summary, [role=menuitem], [role=tab]');

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
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    if (!enabled) return;
    // Seen before anybody hears the key: the Esc that closes a dialog is not also a way back.
    let isCovered = false;
    const onBefore = () => {
      isCovered = document.querySelector('[role=dialog], [role=menu]') !== null;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (isTyping(target) || (event.key === 'Enter' && takesEnter(target))) return;
      if (isCovered) return;
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

interface ListKeys<Item> {
  readonly items: readonly Item[];
  readonly onOpen: (item: Item) => void;
  readonly onBack?: () => void;
  /** Further keys for the row that is chosen, such as `x` to select it. */
  readonly also?: Readonly<Record<string, (item: Item) => void>>;
  readonly enabled?: boolean;
}

/**
 * j and k walk through a list, Enter opens, Esc lets go and then goes back. Mark the row with
 * `data-active={index === active}` and `data-row={index}`: it is scrolled into view. -1: none is chosen.
 */
export function useListKeys<Item>({ items, onOpen, onBack, also = {}, enabled = true }: ListKeys<Item>) {
  const [wanted, setActive] = useState(-1);
  const active = Math.min(wanted, items.length - 1);
  const go = (index: number) => {
    setActive(index);
    document.querySelector(`[data-row="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const chosen = items[active];
  useKeys(
    {
      j: () => go(Math.min(active + 1, items.length - 1)),
      k: () => go(Math.max(active - 1, 0)),
      ...(chosen === undefined ? {} : { Enter: () => onOpen(chosen) }),
      Escape: () => (active >= 0 ? setActive(-1) : onBack?.()),
      ...(chosen === undefined
        ? {}
        : Object.fromEntries(Object.entries(also).map(([key, work]) => [key, () => work(chosen)]))),
    },
    enabled,
  );
  return { active, setActive };
}
