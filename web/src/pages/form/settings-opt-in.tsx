/** The mail that asks visitors to confirm their address. */
import { NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section } from '../../ui/settings-section.js';
import type { FormFull } from '../../wire.js';
import * as sections from '../../words/sections.js';
import * as words from '../../words/visitor-mail.js';
import type { FormSettingsProps } from './form-settings.js';
import { MailSender } from './mail-sender.js';

type OptIn = NonNullable<FormFull['double_opt_in']>;

const usualDays = 7;

export function SettingsOptIn({ form }: Pick<FormSettingsProps, 'form'>) {
  const optIn = form.values.double_opt_in;
  const change = (changed: Partial<OptIn>) =>
    form.setFieldValue('double_opt_in', { field: 'email', ...optIn, ...changed });
  const optional = (name: 'subject' | 'text' | 'from_name' | 'reply_to') => ({
    value: optIn?.[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ [name]: event.currentTarget.value.trim() === '' ? null : event.currentTarget.value }),
    error: form.errors[`double_opt_in.${name}`],
  });
  return (
    <Section title={sections.doubleOptIn} words={words.optInDescription}>
      <MailNotice />
      <Switch
        label={words.askToConfirm}
        checked={optIn !== null}
        onChange={(event) =>
          event.currentTarget.checked ? change({}) : form.setFieldValue('double_opt_in', null)
        }
      />
      {optIn !== null && (
        <>
          <TextInput
            label={words.addressField}
            description={words.needsAddress}
            maxLength={200}
            spellCheck={false}
            value={optIn.field}
            onChange={(event) => change({ field: event.currentTarget.value })}
            error={form.errors['double_opt_in.field']}
          />
          <TextInput
            label={words.subject}
            description={words.ownSubject}
            maxLength={200}
            {...optional('subject')}
          />
          <Textarea
            label={words.text}
            description={words.ownText}
            maxLength={10_000}
            autosize
            minRows={3}
            maxRows={20}
            {...optional('text')}
          />
          <MailSender fromNameDescription={words.fromNameOptIn} propsOf={optional} />
          <NumberInput
            label={words.expiresDays}
            description={words.expiresDaysDescription}
            suffix=" days"
            min={1}
            max={30}
            allowDecimal={false}
            value={optIn.expires_days ?? usualDays}
            onChange={(days) => change({ expires_days: Number(days) })}
            error={form.errors['double_opt_in.expires_days']}
          />
        </>
      )}
    </Section>
  );
}
