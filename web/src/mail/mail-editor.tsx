/** Edits the templates of an e-mail, with placeholders to insert and a preview. Used for every e-mail that owners write. */
import { Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useRecentSubmissions } from '../destination-queries.js';
import { fieldsOf } from '../pages/submissions/columns.js';
import { type Owner, useForm } from '../queries.js';
import { insertPlaceholder, Placeholders, placeholdersOf } from '../ui/placeholders.js';
import { Untrusted } from '../ui/untrusted.js';
import type { MailDraft } from '../wire.js';
import * as words from '../words/mail-editor.js';
import { MailPreview } from './mail-preview.js';
import { useMailPreview } from './mail-queries.js';

type Template = 'subject' | 'text' | 'html';

export interface MailText {
  readonly value: string;
  readonly description?: string;
  readonly placeholder?: string;
  readonly maxLength: number;
  /** The error from saving it. */
  readonly error: ReactNode;
  readonly onChange: (value: string) => void;
}

interface MailEditorProps {
  readonly owner: Owner;
  readonly kind: MailDraft['kind'];
  /** As it would be saved. */
  readonly config: MailDraft['config'];
  readonly texts: Readonly<Record<Template, MailText>>;
  readonly children?: ReactNode;
}

const labels: Readonly<Record<Template, string>> = {
  subject: words.subject,
  text: words.text,
  html: words.html,
};
/** A confirmation e-mail must not contain anything a visitor wrote. */
const ofConfirmations = ['confirm_url', 'form.name', 'project.name'];
const choices = 10;

export function MailEditor({ owner, kind, config, texts, children }: MailEditorProps) {
  const submissions = useRecentSubmissions(owner).data ?? [];
  const rules = useForm(owner.formId ?? '').data?.fields ?? [];
  const [submissionId, choose] = useState<string | null>(null);
  const shown = submissions.find(({ id }) => id === submissionId) ?? submissions[0];
  // A project's e-mail needs a form too: the form of the newest submission, once there is one.
  const formId = owner.formId ?? shown?.form_id ?? null;
  const draft: MailDraft = { kind, config, submission_id: submissionId };
  const seen = useMailPreview(formId, draft);
  const inputs = useRef(new Map<Template, HTMLInputElement | HTMLTextAreaElement>());
  const [current, setCurrent] = useState<Template>('text');
  const fields = [...new Set([...rules.map(({ name }) => name), ...fieldsOf(submissions)])];
  const propsOf = (name: Template) => {
    const { value, description, placeholder, maxLength, error, onChange } = texts[name];
    const fault = error ?? seen.faults[`config.${name}`];
    return {
      ref: (input: HTMLInputElement | HTMLTextAreaElement | null) => {
        if (input) inputs.current.set(name, input);
      },
      label: labels[name],
      ...{ value, description, placeholder, maxLength },
      error: fault === undefined || fault === null ? null : <Untrusted>{String(fault)}</Untrusted>,
      onFocus: () => setCurrent(name),
      onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    };
  };
  return (
    <Stack gap="md">
      {kind === 'digest' ? (
        <Text size="sm" c="dimmed">
          {words.digestLayout}
        </Text>
      ) : (
        <>
          <TextInput {...propsOf('subject')} />
          <Textarea {...propsOf('text')} autosize minRows={5} maxRows={20} />
          <Textarea
            {...propsOf('html')}
            autosize
            minRows={2}
            maxRows={20}
            spellCheck={false}
            classNames={{ input: 'mono' }}
          />
          <Placeholders
            names={kind === 'confirmation' ? ofConfirmations : placeholdersOf(fields)}
            onInsert={(name) =>
              insertPlaceholder(inputs.current.get(current) ?? null, name, texts[current].onChange)
            }
          />
        </>
      )}
      {children}
      {formId !== null && (
        <MailPreview
          formId={formId}
          draft={draft}
          seen={seen}
          submissions={submissions.slice(0, choices)}
          onChoose={choose}
        />
      )}
    </Stack>
  );
}
