/** What keeps machines out: a challenge, and the hidden field. */
import { Input, PasswordInput, Select, Switch, Text, TextInput } from '@mantine/core';
import { usePatchForm } from '../../queries.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Section, useSection } from '../../ui/settings-section.js';
import type { FormBody } from '../../wire.js';
import type { FormTabProps } from './form-tab.js';

const providers = [
  { value: 'altcha', label: 'ALTCHA, built in: nothing is asked of anybody else' },
  { value: 'turnstile', label: 'Cloudflare Turnstile' },
  { value: 'hcaptcha', label: 'hCaptcha' },
  { value: 'recaptcha', label: 'Google reCAPTCHA' },
];

/** Off the page rather than hidden: some robots leave hidden fields alone. */
const honeypot = `<div style="position: absolute; left: -9999px" aria-hidden="true">
  <label>Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off" data-1p-ignore data-lpignore="true"></label>
</div>`;

export function SettingsSpam({ form: settings }: FormTabProps) {
  const { id, captcha_enabled, captcha_provider, captcha_site_key } = settings;
  const patch = usePatchForm(id);
  const section = useSection<
    Pick<FormBody, 'captcha_enabled' | 'captcha_provider' | 'captcha_site_key' | 'captcha_secret_key'>
  >(
    // The secret is never told; empty means that it stays as it is.
    { captcha_enabled, captcha_provider, captcha_site_key, captcha_secret_key: null },
    (changed) => patch.mutateAsync(changed),
    { captcha_secret_key: null },
  );
  const { form } = section;
  const needsKeys = form.values.captcha_provider !== 'altcha';
  return (
    <Section section={section} title="Spam" words="What a machine must do before its message is taken.">
      <Switch
        label="Ask for a CAPTCHA"
        description="Submissions without a solved challenge are rejected; visitors need JavaScript for it. Put the snippet into your page again."
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
                description="The public one, that your page uses."
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
                description="Kept here and never shown again. Leave it empty to keep the one that is set."
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
        <Text size="xs" c="dimmed" mb={6}>
          People do not see it, machines fill it in: what they send goes to quarantine. Put it inside your
          form.
        </Text>
        <CodeBlock code={honeypot} label="Hidden field" />
      </Input.Wrapper>
    </Section>
  );
}
