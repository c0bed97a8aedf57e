/** Who may submit: origins, the sandbox with its addresses and key, and who is blocked. */
import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useInstance } from '../../queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Section } from '../../ui/settings-section.js';
import { TextList } from '../../ui/text-list.js';
import type { FormSettingsProps } from './form-settings.js';

/** 32 letters and digits from 24 random bytes. */
const newKey = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

export function SettingsAccess({ form }: Pick<FormSettingsProps, 'form'>) {
  const instance = useInstance();
  const ownAddress = instance.data?.your_ip;
  const isRegistered = ownAddress !== undefined && form.values.sandbox_ips.includes(ownAddress);
  return (
    <Section title="Who may submit" words="Which pages may submit, and from which IP addresses.">
      <TextList
        label="Allowed origins"
        description="Host names whose pages may submit; *.example.com covers subdomains. Empty uses the project's list."
        placeholder="example.com"
        {...form.getInputProps('allowed_origins')}
      />
      <Radio.Group label="Mode" {...form.getInputProps('validation_mode')}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="live"
            label="Live"
            description="For your website: everyone can submit, within these rules."
          />
          <Radio
            value="sandbox"
            label="Sandbox"
            description="For development: only registered IP addresses can submit, also from localhost."
          />
        </Stack>
      </Radio.Group>
      {(form.values.validation_mode === 'sandbox' || form.values.sandbox_ips.length > 0) && (
        <Stack gap="xs">
          <TextList
            label="Sandbox addresses"
            description="IP addresses or ranges such as 203.0.113.0/24 that can submit in sandbox mode."
            placeholder="203.0.113.7"
            {...form.getInputProps('sandbox_ips')}
          />
          {ownAddress !== undefined && !isRegistered && (
            <Group>
              <Button
                variant="default"
                size="xs"
                onClick={() => form.setFieldValue('sandbox_ips', [...form.values.sandbox_ips, ownAddress])}
              >
                Register my address {ownAddress}
              </Button>
            </Group>
          )}
        </Stack>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label="Service key"
          description="Your server sends it as X-Service-Key. At least 16 characters. Empty means none."
          placeholder="None"
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={form.values.sandbox_api_key ?? ''}
          onChange={(event) =>
            form.setFieldValue('sandbox_api_key', event.currentTarget.value.trim() || null)
          }
          error={form.errors.sandbox_api_key}
          rightSection={
            form.values.sandbox_api_key !== null && (
              <CopyButton value={form.values.sandbox_api_key} label="Copy service key" />
            )
          }
        />
        <Button variant="default" onClick={() => form.setFieldValue('sandbox_api_key', newKey())}>
          Generate
        </Button>
      </Group>
      <TextList
        label="Blocked addresses"
        description="IP addresses or ranges that cannot submit."
        placeholder="198.51.100.0/24"
        {...form.getInputProps('blocked_ips')}
      />
    </Section>
  );
}
