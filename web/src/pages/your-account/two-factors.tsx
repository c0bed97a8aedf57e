/** The second factor: an authenticator app and recovery codes. */
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Suspense, useState } from 'react';
import { wordsOf } from '../../api.js';
import {
  useBeginAuthenticator,
  useConfirmAuthenticator,
  useFactors,
  useRemoveAuthenticator,
  useRenewRecoveryCodes,
} from '../../login-queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { lazyPart } from '../../ui/lazy-part.js';
import { LoadingRows } from '../../ui/loading.js';
import { ProblemState } from '../../ui/problem-state.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import type { AuthenticatorSecret } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/your-account.js';
import { RecoveryCodes } from './recovery-codes.js';

const QrCode = lazyPart(() => import('./qr-code.js'), 'QrCode');

type Change = 'begin' | 'renew' | 'remove';
/** The dialog's step; null: closed. */
type Step =
  | { readonly kind: 'password'; readonly change: Change }
  | { readonly kind: 'scan'; readonly secret: AuthenticatorSecret }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

interface StepProps {
  readonly go: (step: Step | null) => void;
}

const titleOf = (step: Step): string => {
  if (step.kind === 'scan') return words.scanTitle;
  if (step.kind === 'codes') return words.recoveryCodes;
  return { begin: words.setUpApp, renew: words.newCodes, remove: words.removeApp }[step.change];
};

function PasswordStep({ change, go }: StepProps & { readonly change: Change }) {
  const begin = useBeginAuthenticator();
  const renew = useRenewRecoveryCodes();
  const remove = useRemoveAuthenticator();
  const form = useForm({ initialValues: { current_password: '' } });
  const work = async (body: { readonly current_password: string }): Promise<void> => {
    if (change === 'begin') go({ kind: 'scan', secret: await begin.mutateAsync(body) });
    else if (change === 'renew') go({ kind: 'codes', codes: (await renew.mutateAsync(body)).recovery_codes });
    else {
      await remove.mutateAsync(body);
      tellDone(words.appRemoved);
      go(null);
    }
  };
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        work(values).catch((error: unknown) => form.setErrors({ current_password: wordsOf(error) })),
      )}
    >
      <Stack gap="md">
        <Text size="sm">{words.confirmPassword}</Text>
        <PasswordInput
          aria-invalid={form.errors.current_password !== undefined}
          label={words.currentPassword}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps('current_password')}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => go(null)}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.submitting} {...(change === 'remove' && { color: 'red' })}>
            {change === 'remove' ? words.removeApp : words.continueWord}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ScanStep({ secret, go }: StepProps & { readonly secret: AuthenticatorSecret }) {
  const confirm = useConfirmAuthenticator();
  const form = useForm({
    initialValues: { code: '' },
    transformValues: ({ code }) => ({ code: code.replace(/\s/g, '') }),
    validate: { code: (code) => (/^\d{6}$/.test(code.replace(/\s/g, '')) ? null : words.codeWrong) },
  });
  return (
    <form
      onSubmit={form.onSubmit(async ({ code }) => {
        try {
          go({ kind: 'codes', codes: (await confirm.mutateAsync(code)).recovery_codes });
        } catch (error) {
          form.setErrors({ code: wordsOf(error) });
        }
      })}
    >
      <Stack gap="md">
        <Text size="sm">{words.scanHint}</Text>
        <Suspense fallback={<LoadingRows rows={1} height={200} />}>
          <QrCode text={secret.uri} label={words.qrCode} />
        </Suspense>
        <Group gap={4} wrap="nowrap" className="field-box">
          <Text
            size="sm"
            className="mono"
            style={{ flex: 1, overflowWrap: 'anywhere' }}
            aria-label={words.key}
          >
            {secret.secret}
          </Text>
          <CopyButton value={secret.secret} label={common.copy} />
        </Group>
        <TextInput
          aria-invalid={form.errors.code !== undefined}
          label={words.codeFromApp}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => go(null)}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.submitting}>
            {words.turnOn}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const Steps = ({ step, go }: StepProps & { readonly step: Step }) => {
  if (step.kind === 'password') return <PasswordStep change={step.change} go={go} />;
  return step.kind === 'scan' ? (
    <ScanStep secret={step.secret} go={go} />
  ) : (
    <RecoveryCodes codes={step.codes} onDone={() => go(null)} />
  );
};

export function TwoFactors() {
  const factors = useFactors();
  const [step, setStep] = useState<Step | null>(null);
  const ask = (change: Change) => () => setStep({ kind: 'password', change });
  return (
    <SectionFrame title={words.twoFactors} words={words.twoFactorsDescription}>
      {factors.isPending && <LoadingRows rows={1} height={36} />}
      {factors.isLoadingError && <ProblemState error={factors.error} retry={() => void factors.refetch()} />}
      {factors.data?.totp === false && (
        <Button variant="default" onClick={ask('begin')}>
          {words.setUpApp}
        </Button>
      )}
      {factors.data?.totp === true && (
        <Stack gap="md">
          <Text size="sm">{words.appIsSetUp}</Text>
          <Group gap="xs">
            <Button variant="default" onClick={ask('remove')}>
              {words.removeApp}
            </Button>
          </Group>
        </Stack>
      )}
      {factors.data !== undefined && (factors.data.totp || factors.data.passkeys.length > 0) && (
        <Group gap="xs" mt="md">
          <Text size="sm">{words.codesLeft(factors.data.recovery_codes_left)}</Text>
          <Button variant="default" size="xs" onClick={ask('renew')}>
            {words.newCodes}
          </Button>
        </Group>
      )}
      <Modal
        opened={step !== null}
        onClose={() => setStep(null)}
        title={step === null ? '' : titleOf(step)}
        // The codes cannot be shown again.
        closeOnClickOutside={step?.kind !== 'codes'}
        closeOnEscape={step?.kind !== 'codes'}
        withCloseButton={step?.kind !== 'codes'}
      >
        {step !== null && <Steps step={step} go={setStep} />}
      </Modal>
    </SectionFrame>
  );
}
