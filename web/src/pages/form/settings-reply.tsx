/** The automatic reply to visitors, and its limits. */
import { Anchor, NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { MailEditor } from '../../mail/mail-editor.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section } from '../../ui/settings-section.js';
import type { FormFull } from '../../wire.js';
import * as mailWords from '../../words/mail-editor.js';
import * as sections from '../../words/sections.js';
import * as words from '../../words/visitor-mail.js';
import type { FormSettingsProps } from './form-settings.js';
import { MailSender } from './mail-sender.js';
import { SuppressedReplies } from './suppressed-replies.js';

type Autoresponder = NonNullable<FormFull['autoresponder']>;

const usual: Autoresponder = {
  enabled: true,
  field: 'email',
  subject: words.usualSubject,
  text: words.usualText,
};

const usualCaps = { per_address_per_day: 3, per_day: 1_000 } as const;

const languageOf = (chosen: string): NonNullable<Autoresponder['language']> =>
  mailWords.languages.find(({ value }) => value === chosen)?.value ?? mailWords.usualLanguage;

export function SettingsReply({ stored, form }: FormSettingsProps) {
  const reply = form.values.autoresponder;
  const change = (changed: Partial<Autoresponder>) => {
    form.setFieldValue('autoresponder', { ...usual, ...reply, ...changed });
    for (const name of Object.keys(changed)) form.clearFieldError(`autoresponder.${name}`);
  };
  const template = (name: 'subject' | 'text' | 'html') => ({
    value: reply?.[name] ?? '',
    error: form.errors[`autoresponder.${name}`],
    onChange: (value: string) => change({ [name]: name === 'html' && value.trim() === '' ? null : value }),
  });
  const optional = (name: 'from_name' | 'reply_to') => ({
    value: reply?.[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ [name]: event.currentTarget.value.trim() === '' ? null : event.currentTarget.value }),
    error: form.errors[`autoresponder.${name}`],
  });
  const cap = (name: keyof typeof usualCaps) => ({
    value: reply?.[name] ?? usualCaps[name],
    onChange: (most: string | number) => change({ [name]: Number(most) }),
    error: form.errors[`autoresponder.${name}`],
  });
  return (
    <Section
      title={sections.automaticReply}
      words={words.replyDescription(
        <Anchor component={Link} href="/suppressed-addresses" inherit underline="always">
          {words.suppressedAddresses}
        </Anchor>,
      )}
    >
      <MailNotice />
      <Switch
        label={words.sendReply}
        checked={reply !== null && reply.enabled !== false}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      {reply !== null && reply.enabled !== false && (
        <>
          <TextInput
            label={words.addressField}
            description={words.addressFieldDescription}
            maxLength={256}
            spellCheck={false}
            value={reply.field}
            onChange={(event) => change({ field: event.currentTarget.value })}
            error={form.errors['autoresponder.field']}
          />
          <MailEditor
            owner={{ formId: stored.id }}
            kind="reply"
            config={reply}
            texts={{
              subject: { ...template('subject'), maxLength: 500 },
              text: { ...template('text'), maxLength: 16_384 },
              html: { ...template('html'), maxLength: 16_384, description: mailWords.htmlDescription },
            }}
          >
            <MailSender fromNameDescription={words.fromNameReply} propsOf={optional} />
            <NativeSelect
              label={mailWords.language}
              description={mailWords.languageDescription}
              data={mailWords.languages}
              value={reply.language ?? mailWords.usualLanguage}
              onChange={(event) => change({ language: languageOf(event.currentTarget.value) })}
            />
          </MailEditor>
          <NumberInput
            label={words.perAddress}
            min={1}
            max={20}
            allowDecimal={false}
            {...cap('per_address_per_day')}
          />
          <NumberInput label={words.perForm} min={1} max={100_000} allowDecimal={false} {...cap('per_day')} />
          <SuppressedReplies formId={stored.id} caps={{ ...usualCaps, ...reply }} />
        </>
      )}
    </Section>
  );
}
