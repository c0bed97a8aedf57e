/** Queries of the e-mail editor: the e-mail as the unsaved settings would render it. */
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, api } from '../api.js';
import { keys } from '../queries.js';
import type { DestinationTest, MailDraft, MailPreview } from '../wire.js';

const previewAfterMs = 400;

export interface SeenMail {
  /** The last one without errors; undefined: there was none yet. */
  readonly mail: MailPreview | undefined;
  /** By setting path, such as `config.text`. */
  readonly faults: Readonly<Record<string, string>>;
  /** Any other failure; null when there is none. */
  readonly failure: unknown;
}

const faultsIn = (error: unknown): Readonly<Record<string, string>> =>
  error instanceof ApiError
    ? Object.fromEntries(error.details.map(({ path, message }) => [path, message]))
    : {};

/** `formId` null: no preview. */
export function useMailPreview(formId: string | null, draft: MailDraft): SeenMail {
  const [asked] = useDebouncedValue(JSON.stringify(draft), previewAfterMs);
  const { data, error } = useQuery({
    // Under the submissions key: a new submission may become the previewed one.
    queryKey: [...keys.submissions, 'mail', formId, asked],
    queryFn: () => api.post<MailPreview>(`/forms/${formId}/mail-preview`, JSON.parse(asked)),
    enabled: formId !== null,
    retry: false,
  });
  const [mail, setMail] = useState<MailPreview>();
  useEffect(() => {
    if (data !== undefined) setMail(data);
  }, [data]);
  const faults = faultsIn(error);
  return { mail, faults, failure: Object.keys(faults).length === 0 ? error : null };
}

export const useMailTest = (formId: string | null) =>
  useMutation({
    mutationFn: (draft: MailDraft) => api.post<DestinationTest>(`/forms/${formId}/mail-test`, draft),
  });
