/** Submissions that have the words, asked from the server when somebody pauses in typing. */
import { useDebouncedValue } from '@mantine/hooks';
import { IconListSearch, IconMail } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.js';
import { fieldsOf } from '../pages/submissions/columns.js';
import { keys } from '../queries.js';
import { previewOf } from '../ui/bounded-text.js';
import type { Submission, SubmissionPage } from '../wire.js';
import * as palette from '../words/palette.js';
import type { Entry } from './entries.js';

const maxShown = 8;
const pauseMs = 200;

interface Found {
  readonly entries: readonly Entry[];
  readonly isLooking: boolean;
  readonly isFailed: boolean;
}

function entryOf(submission: Submission, formName: string): Entry {
  const [label = palette.unnamedSubmission, ...others] = fieldsOf([submission])
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
  label: palette.allMatches(formName),
  hint: '',
  icon: IconListSearch,
  target: { to: `/forms/${formId}/submissions?q=${encodeURIComponent(words)}` },
});

export function useFoundSubmissions(words: string, nameOf: (formId: string) => string): Found {
  const [settled] = useDebouncedValue(words, pauseMs);
  const isSettled = settled === words;
  const answer = useQuery({
    queryKey: [...keys.submissions, 'found', settled],
    queryFn: ({ signal }) => api.get<SubmissionPage>('/submissions', { q: settled, limit: maxShown }, signal),
    enabled: settled !== '' && isSettled,
    retry: false,
  });
  const found = isSettled ? (answer.data?.data ?? []) : [];
  const forms = [...new Set(found.map(({ form_id }) => form_id))];
  return {
    entries: [
      ...found.map((submission) => entryOf(submission, nameOf(submission.form_id))),
      ...forms.map((id) => listEntry(id, nameOf(id), settled)),
    ],
    isLooking: words !== '' && (!isSettled || answer.isPending),
    isFailed: isSettled && answer.isError,
  };
}
