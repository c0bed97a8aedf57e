/** The mail that visitors get in reply, and how many of them. */
import { Anchor, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section } from '../../ui/settings-section.js';
import type { FormFull } from '../../wire.js';
import * as sections from '../../words/sections.js';
import * as words from '../../words/visitor-mail.js';
import type { FormSettingsProps } from './form-settings.js';
import { MailSender } from './mail-sender.js';

type Autoresponder = NonNullable<FormFull['autoresponder']>;

const usual: Autoresponder = {
  enabled: true,
  field: 'email',
  subject: words.usualSubject,
  text: words.usualText,
};

const usualCaps = { per_address_per_day: 3, per_day: 1_000 } as const;

export function SettingsReply({ form }: Pick<FormSettingsProps, 'form'>) {
  const reply = form.values.autoresponder;
  const change = (changed: Partial<Autoresponder>) =>
    form.setFieldValue('autoresponder', { ...usual, ...reply, ...changed });
  const written = (name: 'field' | 'subject' | 'text') => ({
    value: reply?.[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
    error: form.errors[`autoresponder.${name}`],
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
            {...written('field')}
          />
          <TextInput label={words.subject} maxLength={500} {...written('subject')} />
          <Textarea
            label={words.text}
            description={words.templateDescription}
            maxLength={16_384}
            autosize
            minRows={5}
            maxRows={20}
            {...written('text')}
          />
          <MailSender fromNameDescription={words.fromNameReply} propsOf={optional} />
          <NumberInput
            label={words.perAddress}
            min={1}
            max={20}
            allowDecimal={false}
            {...cap('per_address_per_day')}
          />
          <NumberInput label={words.perForm} min={1} max={100_000} allowDecimal={false} {...cap('per_day')} />
        </>
      )}
    </Section>
  );
}
