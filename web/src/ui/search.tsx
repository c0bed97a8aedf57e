/** The way into the command palette: a button in the head, Ctrl K or ⌘ K everywhere, and / where the page has no search of its own. */
import { Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { commandKey, isApple, useKeys } from './keyboard.js';
import { lazyPart } from './lazy-part.js';
import './search.css';

const load = () => import('../palette/palette.js');
const Palette = lazyPart(load, 'Palette');

/** Also heard while somebody types; not over another dialog. */
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

export function Search({ onHelp }: { readonly onHelp: () => void }) {
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
  // Later than what this page needs, and before somebody has typed into a box that is still on its way.
  useEffect(() => {
    const timer = setTimeout(load, 2_000);
    return () => clearTimeout(timer);
  }, []);
  const label = `Search (${commandKey})`;
  return (
    <>
      <UnstyledButton className="search-button" onClick={open} onPointerEnter={load} aria-label={label}>
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span>Search or jump to…</span>
        <Kbd size="xs">{commandKey}</Kbd>
      </UnstyledButton>
      {wasOpened && (
        <Suspense fallback={null}>
          <Palette opened={isOpen} onClose={close} onHelp={onHelp} />
        </Suspense>
      )}
    </>
  );
}
