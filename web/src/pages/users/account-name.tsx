/** The name of the account. */
import { Box, Button, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useUpdateAccount } from '../../account-queries.js';
import { wordsOf } from '../../api.js';
import { useAccount } from '../../queries.js';
import { faultsByField } from '../../ui/field-faults.js';
import { tellDone } from '../../ui/tell.js';
import * as common from '../../words/common.js';
import * as controls from '../../words/controls.js';
import * as words from '../../words/users.js';

export function AccountName() {
  const account = useAccount().data;
  return account && <NameForm key={account.name} name={account.name} />;
}

function NameForm({ name }: { readonly name: string }) {
  const update = useUpdateAccount();
  const form = useForm({
    initialValues: { name },
    validate: { name: (text) => (text.trim() === '' ? controls.nameMissing : null) },
  });
  const save = form.onSubmit(async (body) => {
    try {
      await update.mutateAsync(body);
      tellDone(words.accountRenamed);
    } catch (error) {
      form.setErrors({ name: wordsOf(error), ...faultsByField(error) });
    }
  });
  return (
    <Box component="section" className="panel" p="md" aria-label={words.account}>
      <Title order={2} mb="sm">
        {words.account}
      </Title>
      <form onSubmit={save}>
        <Stack align="flex-start" gap="sm">
          <TextInput
            label={common.name}
            description={words.accountNameDescription}
            maxLength={200}
            w="100%"
            maw={420}
            {...form.getInputProps('name')}
          />
          <Button type="submit" variant="default" loading={form.submitting} disabled={!form.isDirty()}>
            {common.save}
          </Button>
        </Stack>
      </form>
    </Box>
  );
}
