/** Whether users who sign in with a password need a second factor. Saved immediately. */
import { Box, Switch, Title } from '@mantine/core';
import { useUpdateAccount } from '../../account-queries.js';
import { useAccount } from '../../queries.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import * as words from '../../words/users.js';

export function RequireTwoFactors() {
  const account = useAccount().data;
  const update = useUpdateAccount();
  if (account === undefined) return null;
  const change = (isRequired: boolean) =>
    update.mutate(
      { two_factors_required: isRequired },
      {
        onSuccess: () => tellDone(isRequired ? words.twoFactorsRequired : words.twoFactorsNotRequired),
        onError: (error) => tellFailure(words.twoFactorsUnchanged, error),
      },
    );
  return (
    <Box component="section" className="panel" p="md" aria-label={words.twoFactors}>
      <Title order={2} mb="sm">
        {words.twoFactors}
      </Title>
      <Switch
        label={words.requireTwoFactors}
        description={words.requireTwoFactorsDescription}
        checked={account.two_factors_required}
        disabled={update.isPending}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    </Box>
  );
}
