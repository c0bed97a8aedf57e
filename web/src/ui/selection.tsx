/** Selecting rows of a list for bulk actions. */
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import * as words from '../words/controls.js';

export interface Selection {
  /** The selected rows that are listed, in list order. */
  readonly chosen: readonly string[];
  readonly isAll: boolean;
  readonly has: (id: string) => boolean;
  /** Stable across renders. */
  readonly toggle: (id: string) => void;
  /** Stable across renders. */
  readonly select: (id: string) => void;
  /** Selects all rows from the last selected one to this one. */
  readonly extendTo: (id: string) => void;
  readonly toggleAll: () => void;
  readonly clear: () => void;
}

/** Rows that leave the list are no longer selected. */
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
  /** Buttons for actions on the selection. */
  readonly children: ReactNode;
}

/** In a list's header: a checkbox for all rows and, with a selection, its actions. */
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
