/** Bot protection: a captcha and the honeypot field. */
import { Input, PasswordInput, Select, Switch, Text, TextInput } from '@mantine/core';
import { CodeBlock } from '../../ui/code/code-block.js';
import { Section } from '../../ui/settings-section.js';
import * as words from '../../words/form-settings.js';
import type { FormSettingsProps } from './form-settings.js';

const providers = [
  { value: 'altcha', label: words.captchaBuiltIn },
  { value: 'turnstile', label: 'Cloudflare Turnstile' },
  { value: 'hcaptcha', label: 'hCaptcha' },
  { value: 'recaptcha', label: 'Google reCAPTCHA' },
];

/** Moved off the page instead of hidden: some bots skip hidden fields. */
const honeypot = `<div style="position: absolute; left: -9999px" aria-hidden="true">
  <label>Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off" data-1p-ignore data-lpignore="true"></label>
</div>`;

export function SettingsSpam({ form }: Pick<FormSettingsProps, 'form'>) {
  const needsKeys = form.values.captcha_provider !== 'altcha';
  return (
    <Section title={words.spam} words={words.spamDescription}>
      <Switch
        label={words.askForACaptcha}
        description={words.askForACaptchaDescription}
        {...form.getInputProps('captcha_enabled', { type: 'checkbox' })}
      />
      {form.values.captcha_enabled && (
        <>
          <Select
            label={words.provider}
            data={providers}
            allowDeselect={false}
            {...form.getInputProps('captcha_provider')}
          />
          {needsKeys && (
            <>
              <TextInput
                label={words.siteKey}
                description={words.siteKeyDescription}
                autoComplete="off"
                spellCheck={false}
                value={form.values.captcha_site_key ?? ''}
                onChange={(event) =>
                  form.setFieldValue('captcha_site_key', event.currentTarget.value.trim() || null)
                }
                error={form.errors.captcha_site_key}
              />
              <PasswordInput
                label={words.secretKey}
                description={words.secretKeyDescription}
                placeholder={words.secretKeyUnchanged}
                autoComplete="new-password"
                value={form.values.captcha_secret_key ?? ''}
                onChange={(event) =>
                  form.setFieldValue('captcha_secret_key', event.currentTarget.value.trim() || null)
                }
                error={form.errors.captcha_secret_key}
              />
            </>
          )}
        </>
      )}
      <Input.Wrapper label={words.hiddenField} labelElement="div">
        <Text size="xs" c="dimmed" mb={4}>
          {words.hiddenFieldDescription}
        </Text>
        <CodeBlock language="html" code={honeypot} label={words.hiddenField} />
      </Input.Wrapper>
    </Section>
  );
}
