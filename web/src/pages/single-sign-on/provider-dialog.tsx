/** Adds or edits an identity provider. */
import {
  Button,
  Group,
  Modal,
  NativeSelect,
  PasswordInput,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Role } from '../../../../src/model/permission.js';
import { wordsOf } from '../../api.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { faultsByField } from '../../ui/field-faults.js';
import { tellDone } from '../../ui/tell.js';
import { TextList } from '../../ui/text-list.js';
import type { IdentityProvider } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/single-sign-on.js';
import { roleNames } from '../../words/users.js';
import { useSaveIdentityProvider } from './queries.js';
import { readRoleLines, roleLines } from './role-lines.js';

interface ProviderDialogProps {
  /** null: a new one. */
  readonly provider: IdentityProvider | null;
  readonly onClose: () => void;
}

const valuesOf = (provider: IdentityProvider | null) => ({
  name: provider?.name ?? '',
  issuer: provider?.issuer ?? '',
  client_id: provider?.client_id ?? '',
  client_secret: '',
  domains: [...(provider?.domains ?? [])],
  is_required: provider?.is_required ?? false,
  is_listed: provider?.is_listed ?? true,
  creates_users: provider?.creates_users ?? true,
  default_role: (provider === null ? 'viewer' : (provider.default_role ?? '')) as Role | '',
  role_claim: provider?.role_claim ?? '',
  roles: roleLines(provider?.roles ?? {}),
});

const roleOptions = [
  ...Object.entries(roleNames).map(([value, label]) => ({ value, label })),
  { value: '', label: words.noRole },
];

export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const save = useSaveIdentityProvider(provider?.id ?? null);
  const form = useForm({
    initialValues: valuesOf(provider),
    validate: {
      roles: (text) => {
        const read = readRoleLines(text);
        return 'wrong' in read ? words.rolesWrong(read.wrong) : null;
      },
    },
  });
  const submit = form.onSubmit(async (values) => {
    const read = readRoleLines(values.roles);
    try {
      await save.mutateAsync({
        ...values,
        role_claim: values.role_claim.trim() === '' ? null : values.role_claim.trim(),
        roles: 'roles' in read ? read.roles : {},
        default_role: values.default_role === '' ? null : values.default_role,
      });
      tellDone(words.saved);
      onClose();
    } catch (error) {
      const faults = faultsByField(error);
      form.setErrors(Object.keys(faults).length > 0 ? faults : { name: wordsOf(error) });
    }
  });
  return (
    <Modal opened onClose={onClose} title={provider === null ? words.add : provider.name} size="lg">
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={words.name}
            description={words.nameDescription}
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TextInput
            label={words.issuer}
            description={words.issuerDescription}
            type="url"
            {...form.getInputProps('issuer')}
          />
          <TextInput label={words.clientId} autoComplete="off" {...form.getInputProps('client_id')} />
          <PasswordInput
            label={words.clientSecret}
            description={provider === null ? undefined : words.secretKept}
            autoComplete="off"
            {...form.getInputProps('client_secret')}
          />
          {provider === null ? (
            <Text size="sm" c="dimmed">
              {words.callbackLater}
            </Text>
          ) : (
            <div>
              <Text size="sm" fw={500}>
                {words.callbackUrl}
              </Text>
              <Text size="xs" c="dimmed">
                {words.callbackDescription}
              </Text>
              <CodeBlock language="text" label={words.callbackUrl} code={provider.callback_url} />
            </div>
          )}
          <TextList
            label={words.domains}
            description={words.domainsDescription}
            {...form.getInputProps('domains')}
          />
          <Switch
            label={words.isRequired}
            description={words.isRequiredDescription}
            {...form.getInputProps('is_required', { type: 'checkbox' })}
          />
          <Switch label={words.isListed} {...form.getInputProps('is_listed', { type: 'checkbox' })} />
          <Switch label={words.createsUsers} {...form.getInputProps('creates_users', { type: 'checkbox' })} />
          <NativeSelect
            label={words.defaultRole}
            data={roleOptions}
            {...form.getInputProps('default_role')}
          />
          <TextInput
            label={words.roleClaim}
            description={words.roleClaimDescription}
            maxLength={200}
            {...form.getInputProps('role_claim')}
          />
          {form.values.role_claim.trim() !== '' && (
            <Textarea
              label={words.roles}
              description={words.rolesDescription}
              autosize
              minRows={2}
              {...form.getInputProps('roles')}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={form.submitting}>
              {words.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
