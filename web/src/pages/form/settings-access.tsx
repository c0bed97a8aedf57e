/** Who may submit: origins, the sandbox with its addresses and key, and blocked addresses. */
import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useInstance } from '../../queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Section } from '../../ui/settings-section.js';
import { TextList } from '../../ui/text-list.js';
import * as words from '../../words/form-settings.js';
import * as states from '../../words/states.js';
import type { FormSettingsProps } from './form-settings.js';

/** 32 base64url characters from 24 random bytes. */
const newKey = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

export function SettingsAccess({ form }: Pick<FormSettingsProps, 'form'>) {
  const instance = useInstance();
  const ownAddress = instance.data?.your_ip;
  const isRegistered = ownAddress !== undefined && form.values.sandbox_ips.includes(ownAddress);
  return (
    <Section title={words.whoMaySubmit} words={words.whoMaySubmitDescription}>
      <TextList
        label={words.allowedOrigins}
        description={words.allowedOriginsDescription}
        placeholder="example.com"
        {...form.getInputProps('allowed_origins')}
      />
      <Radio.Group label={words.mode} {...form.getInputProps('validation_mode')}>
        <Stack gap="xs" mt={4}>
          <Radio value="live" label={states.live} description={words.modeLiveDescription} />
          <Radio value="sandbox" label={states.sandbox} description={words.modeSandboxDescription} />
        </Stack>
      </Radio.Group>
      {(form.values.validation_mode === 'sandbox' || form.values.sandbox_ips.length > 0) && (
        <Stack gap="xs">
          <TextList
            label={words.sandboxAddresses}
            description={words.sandboxAddressesDescription}
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
                {words.registerMyAddress(ownAddress)}
              </Button>
            </Group>
          )}
        </Stack>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label={words.serviceKey}
          description={words.serviceKeyDescription}
          placeholder={words.serviceKeyNone}
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
              <CopyButton value={form.values.sandbox_api_key} label={words.copyServiceKey} />
            )
          }
        />
        <Button variant="default" onClick={() => form.setFieldValue('sandbox_api_key', newKey())}>
          {words.generate}
        </Button>
      </Group>
      <TextList
        label={words.blockedAddresses}
        description={words.blockedAddressesDescription}
        placeholder="198.51.100.0/24"
        {...form.getInputProps('blocked_ips')}
      />
    </Section>
  );
}
