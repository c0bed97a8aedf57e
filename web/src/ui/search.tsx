/** Opens the command palette: a button in the header, Ctrl K or ⌘ K everywhere, and / where the page has no search of its own. */
import { Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import * as words from '../words/shell.js';
import { commandKey, isApple, useKeys } from './keyboard.js';
import { lazyPart } from './lazy-part.js';
import './search.css';

const load = () => import('../palette/palette.js');
/** If it fails now, opening the palette loads it again. */
const loadAhead = (): void => void load().catch(() => {});
const Palette = lazyPart(load, 'Palette');

/** Works while typing too, but not over another dialog. */
function useCommandKey(toggle: () => void, isOpen: boolean): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isWanted = event.key.toLowerCase() === 'k' && (isApple ? event.metaKey : event.ctrlKey);
      if (!isWanted || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (isOpen || document.querySelector('[role=dialog]') === null) toggle();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
}

interface SearchState {
  readonly open: () => void;
  readonly palette: ReactNode;
}

/** The palette, one for the whole window; `open` shows it. */
export function useSearch(onHelp: () => void): SearchState {
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const before = useRef<Element | null>(null);
  const open = () => {
    before.current = document.activeElement;
    setOpened(true);
    setOpen(true);
  };
  const close = (isLeaving: boolean) => {
    setOpen(false);
    if (!isLeaving && before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  };
  useKeys({ '/': open });
  useCommandKey(() => (isOpen ? close(false) : open()), isOpen);
  // After everything this page needs, but before the user types into an input that is still loading.
  useEffect(() => {
    const timer = setTimeout(loadAhead, 2_000);
    return () => clearTimeout(timer);
  }, []);
  const palette = wasOpened && (
    <Suspense fallback={null}>
      <Palette opened={isOpen} onClose={close} onHelp={onHelp} />
    </Suspense>
  );
  return { open, palette };
}

export const SearchButton = ({ onOpen }: { readonly onOpen: () => void }) => (
  <UnstyledButton className="search-button" onClick={onOpen} onPointerEnter={loadAhead}>
    <IconSearch aria-hidden />
    <span>{words.searchButton}</span>
    <Kbd size="xs">{commandKey}</Kbd>
  </UnstyledButton>
);
