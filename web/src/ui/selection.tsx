/** Choosing rows of a list, to do something with all of them. */
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import * as words from '../words/controls.js';

export interface Selection {
  /** Those that are shown and chosen, in the order of the list. */
  readonly chosen: readonly string[];
  readonly isAll: boolean;
  readonly has: (id: string) => boolean;
  /** Stays the same from one drawing to the next. */
  readonly toggle: (id: string) => void;
  /** Stays the same as well. */
  readonly select: (id: string) => void;
  /** Chooses all from the one that was last chosen to this one. */
  readonly extendTo: (id: string) => void;
  readonly toggleAll: () => void;
  readonly clear: () => void;
}

/** What leaves the list is chosen no more. */
export function useSelection(ids: readonly string[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const lastToggled = useRef<string | null>(null);
  const toggle = useCallback((id: string) => {
    lastToggled.current = id;
    setSelected((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const select = useCallback((id: string) => {
    lastToggled.current = id;
    setSelected((now) => new Set([...now, id]));
  }, []);
  const extendTo = (id: string) => {
    const to = ids.indexOf(id);
    const from = lastToggled.current === null ? -1 : ids.indexOf(lastToggled.current);
    const between = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
    setSelected((now) => new Set([...now, ...between]));
  };
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : ids.filter((id) => selected.has(id))),
    [ids, selected],
  );
  const isAll = chosen.length === ids.length && ids.length > 0;
  const clear = () => setSelected(new Set());
  return {
    chosen,
    isAll,
    has: (id) => selected.has(id),
    toggle,
    select,
    extendTo,
    toggleAll: () => (isAll ? clear() : setSelected(new Set(ids))),
    clear,
  };
}

interface SelectAllProps {
  readonly selection: Selection;
  /** Buttons: what can be done with those that are chosen. */
  readonly children: ReactNode;
}

/** In the head of a list: a box for all of them and, once some are chosen, what can be done with these. */
export function SelectAll({ selection, children }: SelectAllProps) {
  const { chosen, isAll, toggleAll, clear } = selection;
  return (
    <>
      <Checkbox
        size="xs"
        aria-label={words.selectAll}
        checked={isAll}
        indeterminate={chosen.length > 0 && !isAll}
        onChange={toggleAll}
      />
      {chosen.length > 0 && (
        <Group gap="xs" className="selection-bar" wrap="nowrap">
          <Text size="xs" c="var(--mantine-color-text)">
            {words.selected(chosen.length)}
          </Text>
          {children}
          <Button size="compact-xs" variant="subtle" color="gray" onClick={clear}>
            {words.selectNone}
          </Button>
        </Group>
      )}
    </>
  );
}
