/** Navigation along the list that a submission is viewed in. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { api } from '../../api.js';
import { keys, submissionQuery } from '../../queries.js';
import { useKeys } from '../../ui/keyboard.js';
import type { Neighbours, Submission } from '../../wire.js';
import type { Way } from '../submissions/way.js';
import { neighboursQuery, placeName, searchOf } from './list-place.js';

/** Writes the originating list into the URL once the submission is loaded. */
export function useListInAddress(way: Way | null, submission: Submission | undefined): void {
  const search = useSearch();
  const [path, navigate] = useLocation();
  useEffect(() => {
    if (submission === undefined || new URLSearchParams(search).has(placeName)) return;
    const wanted = searchOf(way, submission);
    if (wanted !== null) navigate(path + wanted, { replace: true });
  }, [way, submission, search, path, navigate]);
}

function useNeighbours(submission: Submission | undefined) {
  const search = useSearch();
  return useQuery({
    queryKey: [...keys.submission(submission?.id ?? ''), 'neighbours', search],
    queryFn: ({ signal }) => {
      if (submission === undefined) throw new Error('Nothing to look beside');
      const query = neighboursQuery(search, submission);
      return api.get<Neighbours>(`/submissions/${submission.id}/neighbours`, query, signal);
    },
    enabled: submission !== undefined,
  });
}

export interface Steps {
  /** Ids; null: none, or still loading. */
  readonly previous: string | null;
  readonly next: string | null;
  readonly go: (id: string) => void;
  /** Goes to the next one, else back to the list, as soon as that is known. */
  readonly goOn: () => void;
}

/** Navigation along the list, and its keys. Keys pressed while the neighbours load take effect afterwards. */
export function useSteps(submission: Submission | undefined, goBack: () => void): Steps {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const search = useSearch();
  /** Pending steps; negative: backwards. */
  const [wanted, setWanted] = useState(0);
  const [isLeaving, setLeaving] = useState(false);
  const { data, isFetched } = useNeighbours(submission);
  const go = useCallback(
    (id: string) => navigate(`/submissions/${id}${search === '' ? '' : `?${search}`}`, { replace: true }),
    [navigate, search],
  );
  useEffect(() => {
    if (wanted === 0 || !isFetched) return;
    const id = (wanted > 0 ? data?.next_id : data?.previous_id) ?? null;
    setWanted(id === null ? 0 : wanted - Math.sign(wanted));
    if (id !== null) go(id);
  }, [wanted, isFetched, data, go]);
  const next = data?.next_id ?? null;
  useEffect(() => {
    if (!isLeaving || !isFetched) return;
    setLeaving(false);
    if (next === null) goBack();
    else go(next);
  }, [isLeaving, isFetched, next, go, goBack]);
  useEffect(() => {
    if (next !== null) void client.prefetchQuery(submissionQuery(next));
  }, [client, next]);
  const onward = () => setWanted((steps) => steps + 1);
  const backward = () => setWanted((steps) => steps - 1);
  useKeys({ j: onward, k: backward, ArrowRight: onward, ArrowLeft: backward });
  return { previous: data?.previous_id ?? null, next, go, goOn: () => setLeaving(true) };
}
