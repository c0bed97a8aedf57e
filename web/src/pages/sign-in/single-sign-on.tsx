/** The identity providers below the sign-in form, and why a sign-in through one failed. */
import { Alert, Button, Divider, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SignInFailure as Failure } from '../../../../src/contract/identity-provider.js';
import { api } from '../../api.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { OfferedProviders } from '../../wire.js';
import * as words from '../../words/single-sign-on.js';

const isFailure = (code: string | null): code is Failure =>
  code !== null && Object.hasOwn(words.failures, code);

export function SignInFailure() {
  const code = new URLSearchParams(window.location.search).get('sign_in_failed');
  if (!isFailure(code)) return null;
  return (
    <Alert color="red" variant="light" role="alert" mb="md">
      {words.failures[code]}
    </Alert>
  );
}

/** `email`: as typed so far. Unlisted providers appear once its domain matches. */
export function SingleSignOn({ email }: { readonly email: string }) {
  const domain = /@[^\s@]+\.[^\s@]{2,}$/.test(email) ? email.trim() : '';
  const offered = useQuery({
    queryKey: ['sign-in-providers', domain.split('@').at(-1)],
    queryFn: ({ signal }) =>
      api.get<OfferedProviders>('/session/providers', domain === '' ? {} : { email: domain }, signal),
    staleTime: 60_000,
    placeholderData: (before) => before,
    retry: false,
  });
  const list = offered.data?.data ?? [];
  if (list.length === 0) return null;
  const here = window.location.pathname.replace(/^.*?\/dashboard/, '') || '/';
  return (
    <Stack gap="xs" mt="md">
      <Divider label={words.or} />
      {list.map(({ id, name, sign_in_url }) => (
        <Button
          key={id}
          component="a"
          variant="default"
          href={`${sign_in_url}?return_to=${encodeURIComponent(here)}`}
        >
          <Untrusted>{words.continueWith(name)}</Untrusted>
        </Button>
      ))}
    </Stack>
  );
}
