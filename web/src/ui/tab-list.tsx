/** The tabs of a page. On a phone they scroll sideways, and the selected one is scrolled into view. */
import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface TabListProps {
  /** The value of the selected tab. */
  readonly shown: string;
  /** `Tabs.Tab` elements. */
  readonly children: ReactNode;
}

export function TabList({ shown, children }: TabListProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another tab that is looked for then
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const showChosen = () => {
      const tab = element.querySelector<HTMLElement>('[aria-selected="true"]');
      // Not scrollIntoView, which would also scroll the page.
      if (tab) element.scrollLeft = tab.offsetLeft - (element.clientWidth - tab.offsetWidth) / 2;
    };
    // Fires once at the start, and again when a phone is rotated.
    const watch = new ResizeObserver(showChosen);
    watch.observe(element);
    return () => watch.disconnect();
  }, [shown]);
  return (
    <Tabs.List ref={list} className="tab-list">
      {children}
    </Tabs.List>
  );
}
