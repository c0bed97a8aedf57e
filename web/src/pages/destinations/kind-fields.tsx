/** The fields of a kind, each with its input. */
import {
  ActionIcon,
  Alert,
  Anchor,
  Box,
  Button,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle, IconPlus, IconX } from '@tabler/icons-react';
import { CodeBlock } from '../../ui/code/code-block.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { TextList } from '../../ui/text-list.js';
import { Verification } from '../../ui/verification.js';
import type { DigestSchedule } from '../../wire.js';
import * as words from '../../words/destinations.js';
import type { ConfigValue, Faults, HeaderRow, RouteDraft } from './destination-draft.js';
import type { KindField } from './kinds.js';
import { Digest, ReplyTo, Route } from './mail-fields.js';

const maxHeaders = 20;

interface HeadersProps {
  readonly rows: readonly HeaderRow[];
  readonly onChange: (rows: readonly HeaderRow[]) => void;
}

function Headers({ rows, onChange }: HeadersProps) {
  const change = (index: number, changed: Partial<HeaderRow>) =>
    onChange(rows.map((row, place) => (place === index ? { ...row, ...changed } : row)));
  return (
    <Stack gap="xs" mt={4}>
      {rows.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own, and stay in their order
        <Group key={index} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={words.headerName(index + 1)}
            placeholder="X-Team"
            value={name}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
            spellCheck={false}
            style={{ flex: '1 1 0' }}
          />
          <TextInput
            aria-label={words.headerValue(index + 1)}
            placeholder={value === null ? words.setNotShown : words.value}
            value={value ?? ''}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
            spellCheck={false}
            autoComplete="off"
            style={{ flex: '2 1 0' }}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={words.removeHeader(index + 1)}
            onClick={() => onChange(rows.filter((_, place) => place !== index))}
          >
            <IconX />
          </ActionIcon>
        </Group>
      ))}
      {rows.length < maxHeaders && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus />}
            onClick={() => onChange([...rows, { name: '', value: '' }])}
          >
            {words.addHeader}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** In the format of Standard Webhooks. */
const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;

interface SigningProps {
  readonly value: string | null;
  readonly isNew: boolean;
  readonly onChange: (value: string | null) => void;
}

function Signing({ value, isNew, onChange }: SigningProps) {
  if (value !== null && value !== '')
    return (
      <Stack gap="xs" mt={4}>
        <Alert color="gray" icon={<IconAlertTriangle />} title={words.copySecretNow}>
          {words.copySecretHint}
        </Alert>
        <CodeBlock language="text" label={words.signingSecret} code={value} />
        <Anchor component="button" type="button" size="sm" w="fit-content" onClick={() => onChange('')}>
          {isNew ? words.useProjectSecretInstead : words.leaveSecret}
        </Anchor>
      </Stack>
    );
  return (
    <Group gap="xs" mt={4}>
      <Button variant="default" size="xs" onClick={() => onChange(newSecret())}>
        {words.generateASecret}
      </Button>
      {!isNew && value === '' && (
        <Button variant="default" size="xs" onClick={() => onChange(null)}>
          {words.useProjectSecret}
        </Button>
      )}
      {value === null && (
        <Text size="sm" role="status">
          {words.projectSecretSigns}
        </Text>
      )}
    </Group>
  );
}

interface KindFieldsProps {
  readonly fields: readonly KindField[];
  readonly values: Readonly<Record<string, ConfigValue>>;
  /** The stored config, to show which secrets are set; null for a new destination. */
  readonly stored: Readonly<Record<string, unknown>> | null;
  readonly faults: Faults;
  readonly onChange: (key: string, value: ConfigValue) => void;
}

export function KindFields({ fields, values, stored, faults, onChange }: KindFieldsProps) {
  const inputOf = (field: KindField) => {
    const { key, label, description, placeholder } = field;
    const value = values[key] ?? null;
    const error = faults[`config.${key}`];
    const text = typeof value === 'string' ? value : '';
    const shared = { label, description, error };
    const wrapped = { ...shared, labelElement: 'div' as const };
    switch (field.input) {
      case 'text':
      case 'url':
        return (
          <TextInput
            {...shared}
            type={field.input}
            placeholder={placeholder}
            value={text}
            onChange={(event) => onChange(key, event.currentTarget.value)}
            onBlur={() => field.read && onChange(key, field.read(text))}
            autoComplete="off"
            spellCheck={false}
          />
        );
      case 'optional': {
        const props = {
          ...shared,
          placeholder,
          value: text,
          onChange: (event: { currentTarget: { value: string } }) => onChange(key, event.currentTarget.value),
        };
        return field.isLong === true ? (
          <Textarea {...props} autosize minRows={3} maxRows={20} />
        ) : (
          <TextInput {...props} />
        );
      }
      case 'secret': {
        const shown = stored?.[key];
        const set = typeof shown === 'string' ? words.secretSetAs(shown) : words.secretSet;
        const props = {
          ...shared,
          description: stored === null ? description : set,
          placeholder: stored === null ? placeholder : words.setNotShown,
          value: text,
          autoComplete: 'off',
          spellCheck: false,
        };
        return field.isLong === true ? (
          <Textarea
            {...props}
            onChange={(event) => onChange(key, event.currentTarget.value)}
            autosize
            minRows={3}
            maxRows={10}
            classNames={{ input: 'mono' }}
          />
        ) : (
          <TextInput {...props} onChange={(event) => onChange(key, event.currentTarget.value)} />
        );
      }
      case 'addresses':
        return (
          <TextList
            {...shared}
            {...(placeholder !== undefined && { placeholder })}
            value={Array.isArray(value) ? value.map(String) : []}
            onChange={(addresses) => onChange(key, addresses)}
          />
        );
      case 'switch':
        return (
          <Switch
            {...shared}
            checked={value === true}
            onChange={(event) => onChange(key, event.currentTarget.checked)}
          />
        );
      case 'choice':
        return field.isList === true ? (
          <NativeSelect
            {...shared}
            data={[...field.choices]}
            value={text}
            onChange={(event) => onChange(key, event.currentTarget.value)}
          />
        ) : (
          <Input.Wrapper {...wrapped}>
            <div>
              <SegmentedControl
                aria-label={label}
                value={text}
                data={[...field.choices]}
                onChange={(chosen) => onChange(key, chosen)}
              />
            </div>
          </Input.Wrapper>
        );
      case 'reply-to':
        return <ReplyTo {...shared} value={text} onChange={(to) => onChange(key, to)} />;
      case 'route':
        return (
          <Route {...shared} value={value as RouteDraft | null} onChange={(route) => onChange(key, route)} />
        );
      case 'digest':
        return (
          <Digest
            {...shared}
            value={value as DigestSchedule | null}
            onChange={(digest) => onChange(key, digest)}
          />
        );
      case 'template':
        return null;
      case 'headers':
        return (
          <Input.Wrapper {...wrapped}>
            <Headers rows={(value ?? []) as readonly HeaderRow[]} onChange={(rows) => onChange(key, rows)} />
          </Input.Wrapper>
        );
      case 'signing':
        return (
          <Input.Wrapper
            {...wrapped}
            description={stored === null ? words.signingNewDescription : words.signingSetDescription}
          >
            <Signing
              value={values[key] === null ? null : text}
              isNew={stored === null}
              onChange={(secret) => onChange(key, secret)}
            />
            <Box mt="xs">
              <Verification />
            </Box>
          </Input.Wrapper>
        );
    }
  };
  return (
    <>
      {fields.some(({ input }) => input === 'addresses') && <MailNotice />}
      {fields.map((field) => (
        <div key={field.key}>{inputOf(field)}</div>
      ))}
    </>
  );
}
