/** New submissions since the list was loaded: they slide in while the list is idle, and are announced otherwise. */
import { UnstyledButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { newerWords } from './list-words.js';
import type { useNewSubmissions } from './submission-list-query.js';

type Fresh = ReturnType<typeof useNewSubmissions>;

/** In pixels. Scrolled further down, the list is being read. */
const topPx = 8;
const isAtTop = (): boolean =>
  window.scrollY <= topPx && document.querySelector('[role=menu], [role=dialog]') === null;

/** Returns the rows that slid in last. */
export function useSlidingIn({ ids, isMore, show }: Fresh, isIdle: boolean): ReadonlySet<string> {
  const [slidIn, setSlidIn] = useState<ReadonlySet<string>>(new Set());
  const newest = ids[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that something has come
  useEffect(() => {
    if (newest === undefined || isMore || !isIdle || !isAtTop()) return;
    setSlidIn(new Set(ids));
    void show();
  }, [newest, isIdle, isMore]);
  return slidIn;
}

export function NewRows({ fresh }: { readonly fresh: Fresh }) {
  const count = fresh.ids.length;
  return (
    <div className="new-place" role="status">
      {count > 0 && (
        <UnstyledButton
          className="new-bar"
          onClick={() => {
            void fresh.show();
            window.scrollTo({ top: 0 });
          }}
        >
          {newerWords({ count, isMore: fresh.isMore })}
        </UnstyledButton>
      )}
    </div>
  );
}
