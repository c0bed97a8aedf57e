/** The tabs of a page. On a phone they scroll sideways, and the one that is shown is in sight. */
import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface TabListProps {
  /** The value of the tab that is shown. */
  readonly shown: string;
  /** `Tabs.Tab` each. */
  readonly children: ReactNode;
}

export function TabList({ shown, children }: TabListProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another tab that is looked for then
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    // Not scrollIntoView, which would also move the page.
    if (list.current && tab)
      list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2;
  }, [shown]);
  return (
    <Tabs.List ref={list} className="tab-list">
      {children}
    </Tabs.List>
  );
}
