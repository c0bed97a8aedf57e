/** Who may submit: origins, the sandbox with its addresses and key, and who is kept out. */
import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useInstance, usePatchForm } from '../../queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Section, useSection } from '../../ui/settings-section.js';
import { TextList } from '../../ui/text-list.js';
import type { FormBody } from '../../wire.js';
import type { FormTabProps } from './form-tab.js';

/** 32 letters and digits from 24 random bytes. */
const newKey = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

export function SettingsAccess({ form: settings }: FormTabProps) {
  const { id, allowed_origins, validation_mode, sandbox_ips, sandbox_api_key, blocked_ips } = settings;
  const patch = usePatchForm(id);
  const instance = useInstance();
  const section = useSection(
    { allowed_origins, validation_mode, sandbox_ips, sandbox_api_key, blocked_ips },
    (changed: FormBody) => patch.mutateAsync(changed),
  );
  const { form } = section;
  const ownAddress = instance.data?.your_ip;
  const isRegistered = ownAddress !== undefined && form.values.sandbox_ips.includes(ownAddress);
  return (
    <Section section={section} title="Who may submit" words="Which pages, and from which addresses.">
      <TextList
        label="Allowed origins"
        description="Host names whose pages may submit; *.example.com covers subdomains. Empty: those of the project, else every page."
        placeholder="example.com"
        {...form.getInputProps('allowed_origins')}
      />
      <Radio.Group label="Mode" {...form.getInputProps('validation_mode')}>
        <Stack gap="xs" mt={6}>
          <Radio
            value="live"
            label="Live"
            description="For your website: everyone may submit, within these rules."
          />
          <Radio
            value="sandbox"
            label="Sandbox"
            description="For building: only registered addresses may submit, also from localhost."
          />
        </Stack>
      </Radio.Group>
      {(form.values.validation_mode === 'sandbox' || form.values.sandbox_ips.length > 0) && (
        <Stack gap="xs">
          <TextList
            label="Sandbox addresses"
            description="IP addresses or ranges such as 203.0.113.0/24 that may submit in sandbox mode."
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
          description="A server of yours sends it as X-Service-Key. Empty: none. At least 16 characters."
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
        description="IP addresses or ranges that may not submit."
        placeholder="198.51.100.0/24"
        {...form.getInputProps('blocked_ips')}
      />
    </Section>
  );
}
