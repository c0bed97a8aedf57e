/** Submissions that have the words, asked from the server when somebody pauses in typing. */
import { useDebouncedValue } from '@mantine/hooks';
import { IconListSearch, IconMail } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { api } from '../api.js';
import { fieldsOf } from '../pages/submissions/columns.js';
import { keys } from '../queries.js';
import { previewOf } from '../ui/bounded-text.js';
import type { Submission, SubmissionPage } from '../wire.js';
import type { Entry } from './entries.js';

/** More projects than this are not asked. */
export const maxAsked = 8;
const maxOfEach = 3;
const maxShown = 8;
const pauseMs = 200;

interface Found {
  readonly entries: readonly Entry[];
  /** Not all that were asked have answered. */
  readonly isLooking: boolean;
  readonly isFailed: boolean;
  /** There are projects that were not asked. */
  readonly isPartial: boolean;
}

function entryOf(submission: Submission, formName: string): Entry {
  const [label = 'Submission', ...others] = fieldsOf([submission])
    .map((field) => previewOf(submission.data[field], 80))
    .filter((text) => text !== '');
  return {
    key: `submission:${submission.id}`,
    label,
    hint: [formName, ...others.slice(0, 1)].join(' · '),
    icon: IconMail,
    target: { to: `/submissions/${submission.id}` },
  };
}

const listEntry = (formId: string, formName: string, words: string): Entry => ({
  key: `matches:${formId}`,
  label: `All matches in ${formName}`,
  hint: '',
  icon: IconListSearch,
  target: { to: `/forms/${formId}/submissions?q=${encodeURIComponent(words)}` },
});

/** `projectIds`: the likeliest first. */
export function useFoundSubmissions(
  words: string,
  projectIds: readonly string[],
  nameOf: (formId: string) => string,
): Found {
  const [settled] = useDebouncedValue(words, pauseMs);
  const isSettled = settled === words;
  const answers = useQueries({
    queries: projectIds.slice(0, maxAsked).map((id) => ({
      queryKey: [...keys.submissions, 'found', id, settled],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<SubmissionPage>(`/projects/${id}/submissions`, { q: settled, limit: maxOfEach }, signal),
      enabled: settled !== '' && isSettled,
      retry: false,
    })),
  });
  const found = isSettled ? answers.flatMap(({ data }) => data?.data ?? []).slice(0, maxShown) : [];
  const forms = [...new Set(found.map(({ form_id }) => form_id))];
  return {
    entries: [
      ...found.map((submission) => entryOf(submission, nameOf(submission.form_id))),
      ...forms.map((id) => listEntry(id, nameOf(id), settled)),
    ],
    isLooking: words !== '' && (!isSettled || answers.some(({ isPending }) => isPending)),
    isFailed: isSettled && answers.some(({ isError }) => isError),
    isPartial: projectIds.length > maxAsked,
  };
}
