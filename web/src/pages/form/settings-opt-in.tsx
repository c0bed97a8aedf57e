/** The e-mail that asks visitors to confirm their address. */
import { NumberInput, Switch, TextInput } from '@mantine/core';
import { MailEditor } from '../../mail/mail-editor.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section } from '../../ui/settings-section.js';
import type { FormFull } from '../../wire.js';
import * as formWords from '../../words/form-settings.js';
import * as sections from '../../words/sections.js';
import * as words from '../../words/visitor-mail.js';
import type { FormSettingsProps } from './form-settings.js';
import { MailSender } from './mail-sender.js';

type OptIn = NonNullable<FormFull['double_opt_in']>;

const usualDays = 7;

export function SettingsOptIn({ stored, form }: FormSettingsProps) {
  const optIn = form.values.double_opt_in;
  const change = (changed: Partial<OptIn>) => {
    form.setFieldValue('double_opt_in', { field: 'email', ...optIn, ...changed });
    for (const name of Object.keys(changed)) form.clearFieldError(`double_opt_in.${name}`);
  };
  const template = (name: 'subject' | 'text' | 'html' | 'from_name' | 'reply_to') => ({
    value: optIn?.[name] ?? '',
    onChange: (value: string) => change({ [name]: value.trim() === '' ? null : value }),
    error: form.errors[`double_opt_in.${name}`],
  });
  const optional = (name: 'from_name' | 'reply_to') => {
    const { onChange, ...props } = template(name);
    return {
      ...props,
      onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    };
  };
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
          <MailEditor
            owner={{ formId: stored.id }}
            kind="confirmation"
            config={optIn}
            texts={{
              subject: { ...template('subject'), maxLength: 200, description: words.ownSubject },
              text: { ...template('text'), maxLength: 10_000, description: words.ownText },
              html: { ...template('html'), maxLength: 16_000, description: words.ownHtml },
            }}
          >
            <MailSender fromNameDescription={words.fromNameOptIn} propsOf={optional} />
          </MailEditor>
          <NumberInput
            label={words.expiresDays}
            description={words.expiresDaysDescription}
            suffix={formWords.daysUnit(optIn.expires_days ?? usualDays)}
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
