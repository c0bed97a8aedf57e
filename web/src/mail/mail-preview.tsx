/** The e-mail beside its settings: headers, views (desktop, phone, dark, text), and a test to oneself. */
import { Alert, Button, Group, NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { beginning } from '../ui/bounded-text.js';
import { shownCharacters } from '../ui/hidden-characters.js';
import { failureWords } from '../ui/settings-section.js';
import { meanings } from '../ui/state-badge.js';
import { Untrusted } from '../ui/untrusted.js';
import type { MailPreview as Mail, MailDraft, Submission } from '../wire.js';
import { formatList, formatTime } from '../words/format.js';
import * as words from '../words/mail-editor.js';
import { MailFrame } from './mail-frame.js';
import { type SeenMail, useMailTest } from './mail-queries.js';
import './mail-preview.css';

type Look = keyof typeof words.looks;

const looks: { value: Look; label: string }[] = [
  { value: 'desktop', label: words.looks.desktop },
  { value: 'phone', label: words.looks.phone },
  { value: 'dark', label: words.looks.dark },
  { value: 'text', label: words.looks.text },
];
const maxShown = 20_000;

function Heads({ mail }: { readonly mail: Mail }) {
  const heads = [
    [words.from, mail.from ?? words.noSender],
    [words.to, mail.to.length === 0 ? words.nobody : formatList(mail.to)],
    ...(mail.cc.length === 0 ? [] : [[words.cc, formatList(mail.cc)]]),
    ...(mail.reply_to === null ? [] : [[words.replyTo, mail.reply_to]]),
    [words.subject, mail.subject],
  ];
  return (
    <dl className="mail-heads">
      {heads.map(([name, value = '']) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Untrusted>{beginning(value, 500)}</Untrusted>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TestResult({ test }: { readonly test: ReturnType<typeof useMailTest> }) {
  if (test.isError)
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="alert">
        {failureWords(test.error)}
      </Text>
    );
  if (test.data === undefined) return null;
  const { delivered, error, request } = test.data;
  const { color, icon: Icon } = meanings[delivered ? 'delivered' : 'failed'];
  return (
    <Alert color={color} icon={<Icon />} role="status">
      {delivered ? (
        words.testSent(<Untrusted>{words.mailTo(request.url)}</Untrusted>)
      ) : (
        <>
          {words.testNotSent}. <Untrusted>{error?.replace(/^\w+:\s*/, '') ?? ''}</Untrusted>
        </>
      )}
    </Alert>
  );
}

/** Enough of a submission to distinguish it from the others. */
const titleOf = ({ data, created_at }: Submission): string => {
  const value = Object.values(data).find((one) => typeof one === 'string' && one.trim() !== '');
  return `${shownCharacters(beginning(String(value ?? ''), 40))} · ${formatTime(created_at)}`;
};

interface MailPreviewProps {
  readonly formId: string;
  readonly draft: MailDraft;
  readonly seen: SeenMail;
  readonly submissions: readonly Submission[];
  readonly onChoose: (submissionId: string | null) => void;
}

export function MailPreview({ formId, draft, seen, submissions, onChoose }: MailPreviewProps) {
  const [look, setLook] = useState<Look>('desktop');
  const test = useMailTest(formId);
  const { mail, faults, failure } = seen;
  const isWrong = Object.keys(faults).length > 0;
  return (
    <fieldset className="mail-preview" aria-label={words.preview}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <SegmentedControl
            aria-label={words.previewAs}
            size="xs"
            value={look}
            data={looks}
            onChange={setLook}
          />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconSend />}
            loading={test.isPending}
            onClick={() => test.mutate(draft)}
          >
            {words.sendMeATest}
          </Button>
        </Group>
        {submissions.length > 0 && draft.kind !== 'digest' && (
          <NativeSelect
            aria-label={words.shownOn}
            size="xs"
            data={[
              { value: '', label: words.newest },
              ...submissions.map((one) => ({ value: one.id, label: titleOf(one) })),
            ]}
            value={draft.submission_id ?? ''}
            onChange={(event) => onChoose(event.currentTarget.value || null)}
          />
        )}
        {mail?.submission_id === null && (
          <Text size="sm" c="dimmed">
            {words.sample}
          </Text>
        )}
        {JSON.stringify(test.variables) === JSON.stringify(draft) && <TestResult test={test} />}
        {isWrong && (
          <Text size="sm" role="status">
            {mail === undefined ? words.noPreview : words.lastGood}
          </Text>
        )}
        {failure !== null && failure !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {failureWords(failure)}
          </Text>
        )}
        {mail !== undefined && (
          <>
            <Heads mail={mail} />
            {look === 'text' ? (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
              <pre className="answer" tabIndex={0}>
                <Untrusted>{beginning(mail.text, maxShown)}</Untrusted>
              </pre>
            ) : (
              <MailFrame html={mail.html} look={look} />
            )}
          </>
        )}
      </Stack>
    </fieldset>
  );
}
