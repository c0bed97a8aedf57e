/** What the editor of a mail asks: the mail as the settings on the screen would make it. */
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
  /** By the path of the setting: `config.text`. */
  readonly faults: Readonly<Record<string, string>>;
  /** What else went wrong; null: nothing. */
  readonly failure: unknown;
}

const faultsIn = (error: unknown): Readonly<Record<string, string>> =>
  error instanceof ApiError
    ? Object.fromEntries(error.details.map(({ path, message }) => [path, message]))
    : {};

/** `formId` null: there is no form to ask for. */
export function useMailPreview(formId: string | null, draft: MailDraft): SeenMail {
  const [asked] = useDebouncedValue(JSON.stringify(draft), previewAfterMs);
  const { data, error } = useQuery({
    // Below the submissions: a new one may be the newest.
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
