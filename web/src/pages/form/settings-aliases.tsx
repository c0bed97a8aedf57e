/** The form's names at another form service. */
import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { wordsOf } from '../../api.js';
import { useAddAlias, useAliases, useRemoveAlias } from '../../queries.js';
import { faultsByField } from '../../ui/field-faults.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { LoadingRows } from '../../ui/loading.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { AliasItem } from '../../wire.js';
import * as words from '../../words/form-settings.js';
import type { FormTabProps } from './form-tab.js';

interface FormId {
  readonly formId: string;
}

function AddAlias({ formId }: FormId) {
  const add = useAddAlias(formId);
  const form = useForm({
    initialValues: { alias: '' },
    validate: { alias: (alias) => (alias.trim() === '' ? words.aliasMissing : null) },
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(async ({ alias }) => {
        try {
          const added = await add.mutateAsync(alias.trim());
          form.reset();
          tellDone(words.aliasAdded(added.alias));
        } catch (error) {
          form.setErrors({ alias: faultsByField(error).alias ?? wordsOf(error) });
        }
      })}
    >
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          flex={1}
          aria-label={words.alias}
          placeholder={words.aliasHint}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('alias')}
        />
        <Button type="submit" variant="default" loading={form.submitting}>
          {words.addAlias}
        </Button>
      </Group>
    </form>
  );
}

interface AliasRowProps {
  readonly item: AliasItem;
  readonly isRemoving: boolean;
  readonly onRemove: () => void;
}

function AliasRow({ item: { alias, created_at }, isRemoving, onRemove }: AliasRowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <span className="mono">
          <Untrusted>{alias}</Untrusted>
        </span>
        <Text size="sm" c="dimmed">
          {words.aliasAddedAt(<RelativeTime iso={created_at} />)}
        </Text>
      </Table.Td>
      <Table.Td ta="right" w={1}>
        <Button
          variant="default"
          size="xs"
          loading={isRemoving}
          onClick={onRemove}
          aria-label={shownCharacters(words.removeNamed(alias))}
        >
          {words.remove}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

export function SettingsAliases({ form: { id } }: FormTabProps) {
  const aliases = useAliases(id);
  // Here and not in the row, which unmounts before the mutation ends.
  const remove = useRemoveAlias(id);
  const removeAlias = (alias: string) =>
    remove.mutate(alias, {
      onSuccess: () => tellDone(words.aliasRemoved(alias)),
      onError: (error) => tellFailure(words.aliasNotRemoved, error),
    });
  const items = aliases.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <SectionFrame title={words.aliases} words={words.aliasesDescription}>
      <Stack gap="md">
        <AddAlias formId={id} />
        {aliases.isPending && <LoadingRows rows={1} height={47} />}
        {aliases.isLoadingError && (
          <ProblemState error={aliases.error} retry={() => void aliases.refetch()} />
        )}
        {items.length > 0 && (
          <div className="panel">
            <Table>
              <Table.Tbody>
                {items.map((item) => (
                  <AliasRow
                    key={item.alias}
                    item={item}
                    isRemoving={remove.isPending && remove.variables === item.alias}
                    onRemove={() => removeAlias(item.alias)}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
        {aliases.hasNextPage && (
          <Group>
            <Button
              variant="default"
              size="xs"
              loading={aliases.isFetchingNextPage}
              onClick={() => void aliases.fetchNextPage()}
            >
              {words.showMore}
            </Button>
          </Group>
        )}
      </Stack>
    </SectionFrame>
  );
}
