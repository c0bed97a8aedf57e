/** What keeps bots out: a challenge, and the hidden field. */
import { Input, PasswordInput, Select, Switch, Text, TextInput } from '@mantine/core';
import { CodeBlock } from '../../ui/code/code-block.js';
import { Section } from '../../ui/settings-section.js';
import type { FormSettingsProps } from './form-settings.js';

const providers = [
  { value: 'altcha', label: 'ALTCHA (built in, no third party)' },
  { value: 'turnstile', label: 'Cloudflare Turnstile' },
  { value: 'hcaptcha', label: 'hCaptcha' },
  { value: 'recaptcha', label: 'Google reCAPTCHA' },
];

/** Off the page rather than hidden: some bots leave hidden fields alone. */
const honeypot = `<div style="position: absolute; left: -9999px" aria-hidden="true">
  <label>Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off" data-1p-ignore data-lpignore="true"></label>
</div>`;

export function SettingsSpam({ form }: Pick<FormSettingsProps, 'form'>) {
  const needsKeys = form.values.captcha_provider !== 'altcha';
  return (
    <Section title="Spam" words="Keep bots out.">
      <Switch
        label="Ask for a CAPTCHA"
        description="Submissions without a solved challenge are rejected. Visitors need JavaScript. Copy the updated snippet into your page."
        {...form.getInputProps('captcha_enabled', { type: 'checkbox' })}
      />
      {form.values.captcha_enabled && (
        <>
          <Select
            label="Provider"
            data={providers}
            allowDeselect={false}
            {...form.getInputProps('captcha_provider')}
          />
          {needsKeys && (
            <>
              <TextInput
                label="Site key"
                description="The public key that your page uses."
                autoComplete="off"
                spellCheck={false}
                value={form.values.captcha_site_key ?? ''}
                onChange={(event) =>
                  form.setFieldValue('captcha_site_key', event.currentTarget.value.trim() || null)
                }
                error={form.errors.captcha_site_key}
              />
              <PasswordInput
                label="Secret key"
                description="Stored and never shown again. Leave it empty to keep the current one."
                placeholder="Unchanged"
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
      <Input.Wrapper label="Hidden field" labelElement="div">
        <Text size="xs" c="dimmed" mb={4}>
          People do not see it, but bots fill it in. Their submissions go to quarantine. Put it inside your
          form.
        </Text>
        <CodeBlock language="html" code={honeypot} label="Hidden field" />
      </Input.Wrapper>
    </Section>
  );
}
