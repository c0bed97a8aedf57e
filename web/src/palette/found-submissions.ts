/** Submissions that match the query, fetched from the server after a pause in typing. */
import { useDebouncedValue } from '@mantine/hooks';
import { IconListSearch, IconMail } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.js';
import { fieldsOf } from '../pages/submissions/columns.js';
import { matchesIn, wordsOf } from '../pages/submissions/matches.js';
import { keys } from '../queries.js';
import { previewOf } from '../ui/bounded-text.js';
import type { Submission, SubmissionPage } from '../wire.js';
import * as palette from '../words/palette.js';
import type { Entry } from './entries.js';

const maxShown = 8;
/** The number of newest matches that are ranked. */
const maxFound = 24;
/** The part of each field that is searched for the words. */
const matchedChars = 2_000;
const excerptChars = 80;
const pauseMs = 200;

interface Found {
  readonly entries: readonly Entry[];
  readonly isLooking: boolean;
  readonly isFailed: boolean;
}

/** The texts of a submission, the most informative field first. */
const textsOf = ({ data }: Submission): readonly string[] =>
  fieldsOf([{ data }])
    .map((field) => previewOf(data[field], matchedChars))
    .filter((text) => text !== '');

/** The text around the first match. Returns null when nothing matches. */
function excerptOf(text: string, searched: readonly string[]): string | null {
  const [match] = matchesIn(text, searched);
  if (match === undefined) return null;
  const from = Math.max(0, match.start - excerptChars / 2);
  return `${from > 0 ? '…' : ''}${text.slice(from, from + excerptChars)}`;
}

const isAddress = (text: string): boolean => /^\S+@\S+$/.test(text);

interface Ranked {
  readonly entry: Entry;
  /** Whether the name or e-mail address matches. */
  readonly isNamed: boolean;
}

function rankedOf(submission: Submission, formName: string, searched: readonly string[]): Ranked {
  const texts = textsOf(submission);
  const [label = palette.unnamedSubmission, ...others] = texts;
  const isIn = (text: string): boolean => matchesIn(text, searched).length > 0;
  // The matching text, else the second field.
  const excerpt = isIn(label) ? undefined : others.map((text) => excerptOf(text, searched)).find(Boolean);
  const hint = excerpt ?? others[0]?.slice(0, excerptChars);
  return {
    entry: {
      key: `submission:${submission.id}`,
      label: label.slice(0, excerptChars),
      hint: hint === undefined ? formName : palette.inForm(formName, hint),
      icon: IconMail,
      target: { to: `/submissions/${submission.id}` },
    },
    isNamed: texts.some((text, place) => (place === 0 || isAddress(text)) && isIn(text)),
  };
}

const inboxEntry = (words: string): Entry => ({
  key: 'matches:inbox',
  label: palette.allMatchesInInbox,
  hint: '',
  icon: IconListSearch,
  target: { to: `/inbox?q=${encodeURIComponent(words)}` },
});

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
    queryFn: ({ signal }) => api.get<SubmissionPage>('/submissions', { q: settled, limit: maxFound }, signal),
    enabled: settled !== '' && isSettled,
    retry: false,
  });
  const found = isSettled ? (answer.data?.data ?? []) : [];
  const searched = wordsOf(settled);
  const ranked = found.map((submission) => rankedOf(submission, nameOf(submission.form_id), searched));
  const best = [...ranked.filter(({ isNamed }) => isNamed), ...ranked.filter(({ isNamed }) => !isNamed)];
  const forms = [...new Set(found.map(({ form_id }) => form_id))];
  return {
    entries: [
      ...(found.length > 0 ? [inboxEntry(settled)] : []),
      ...best.slice(0, maxShown).map(({ entry }) => entry),
      ...forms.map((id) => listEntry(id, nameOf(id), settled)),
    ],
    isLooking: words !== '' && (!isSettled || answer.isPending),
    isFailed: isSettled && answer.isError,
  };
}
