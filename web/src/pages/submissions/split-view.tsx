/** On wide screens the highlighted row's submission is shown beside the list. Its id is in the URL, so that it survives a reload. */
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, Suspense, useCallback, useEffect, useRef } from 'react';
import { isReturning, replaceFragment, useFragment } from '../../navigation.js';
import { lazyPart } from '../../ui/lazy-part.js';
import type { Submission } from '../../wire.js';
import * as words from '../../words/submissions.js';

const SubmissionPane = lazyPart(() => import('../submission/submission-pane.js'), 'SubmissionPane');

/** 1,440 pixels. */
const wide = '(min-width: 90em)';
/** Holding an arrow key passes many rows: only the row where it stops is loaded. */
const restMs = 150;

export interface Beside {
  readonly isWide: boolean;
  /** Null: nothing is shown beside the list. */
  readonly shownId: string | null;
  readonly close: () => void;
}

export function useBeside(): Beside {
  const isWide = useMediaQuery(wide, undefined, { getInitialValueInEffect: false });
  const fragment = useFragment();
  const close = useCallback(() => replaceFragment(''), []);
  return { isWide, shownId: isWide && fragment !== '' ? fragment : null, close };
}

/** Opens only for a row whose link has the focus, not for one whose checkbox was ticked. Once open, it follows the highlight. */
const isMeant = (): boolean => document.activeElement?.matches('.row-link') === true;

/** Shows the highlighted row once the highlight rests. `goTo` highlights the row named in the URL. */
export function useFollowing(
  { isWide, shownId, close }: Beside,
  rowId: string | null,
  goTo: (id: string) => void,
): void {
  const isOpen = shownId !== null;
  const lastRow = useRef(rowId);
  useEffect(() => {
    const wasHighlighted = lastRow.current !== null;
    lastRow.current = rowId;
    if (!isWide) return;
    if (rowId === null) return wasHighlighted ? close() : undefined;
    const timer = setTimeout(() => (isOpen || isMeant()) && replaceFragment(rowId), restMs);
    return () => clearTimeout(timer);
  }, [isWide, isOpen, rowId, close]);
  // On a return, navigation.ts focuses the row the user came from, which may not be the one in the URL.
  const named = useRef(isReturning() ? null : shownId);
  useEffect(() => {
    if (named.current !== null) goTo(named.current);
    named.current = null;
  });
}

interface SplitViewProps {
  readonly beside: Beside;
  readonly onOpen: (submission: Submission) => void;
  readonly onClose: () => void;
  readonly onDeleted: (ids: readonly string[]) => void;
  /** The list. */
  readonly children: ReactNode;
}

export function SplitView({ beside: { shownId }, onOpen, onClose, onDeleted, children }: SplitViewProps) {
  return (
    <div className="split" data-open={shownId !== null}>
      <div className="split-list">{children}</div>
      {shownId !== null && (
        <section className="split-pane" aria-label={words.shownSubmission}>
          <Suspense fallback={null}>
            <SubmissionPane id={shownId} onOpen={onOpen} onClose={onClose} onDeleted={onDeleted} />
          </Suspense>
        </section>
      )}
    </div>
  );
}
