/** A group of settings: explains itself in one line, is saved with one button, and says a wrong value at its field. */
import { Box, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiError, wordsOf } from '../api.js';
import { faultsByField } from './field-faults.js';
import { tellDone, tellFailure } from './tell.js';

export interface SectionForm<Values> {
  readonly form: UseFormReturnType<Values>;
  readonly submit: () => void;
}

/**
 * Fields of one section. Only what was changed is sent; what the server says meanwhile is shown unless one is typing.
 * `forget` is what fields hold once they were saved, where the server never tells them again.
 */
export function useSection<Values extends Record<string, unknown>>(
  values: Values,
  save: (changed: Partial<Values>) => Promise<unknown>,
  forget: Partial<Values> = {},
): SectionForm<Values> {
  const form = useForm<Values>({ initialValues: values });
  const known = useRef(JSON.stringify(values));
  const current = JSON.stringify(values);
  useEffect(() => {
    if (known.current === current || form.isDirty() || form.submitting) return;
    known.current = current;
    form.setInitialValues(values);
    form.setValues(values);
  });
  const submit = form.onSubmit(async (entered) => {
    const changed = Object.fromEntries(
      Object.entries(entered).filter(([field]) => form.isDirty(field)),
    ) as Partial<Values>;
    try {
      await save(changed);
      known.current = '';
      const kept = { ...entered, ...forget };
      form.setInitialValues(kept);
      form.setValues(kept);
      form.resetDirty(kept);
      tellDone('Saved');
    } catch (error) {
      const faults = faultsByField(error);
      const ours = Object.keys(faults).filter((field) => field in entered);
      form.setErrors(faults);
      if (ours.length === 0) tellFailure('Not saved', error);
    }
  });
  return { form, submit: () => submit() };
}

interface SectionFrameProps {
  readonly title: string;
  readonly words: ReactNode;
  readonly children: ReactNode;
}

/** Title and explanation at the left, content at the right; one below the other on a phone. */
export const SectionFrame = ({ title, words, children }: SectionFrameProps) => (
  <SimpleGrid
    component="section"
    aria-label={title}
    cols={{ base: 1, md: 2 }}
    spacing="xl"
    className="section"
  >
    <Box maw={380}>
      <Title order={2} mb={4}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" component="div">
        {words}
      </Text>
    </Box>
    <Box>{children}</Box>
  </SimpleGrid>
);

interface SectionProps<Values> extends SectionFrameProps {
  readonly section: SectionForm<Values>;
}

export function Section<Values>({ section, title, words, children }: SectionProps<Values>) {
  const { form, submit } = section;
  const isDirty = form.isDirty();
  return (
    <SectionFrame title={title} words={words}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        noValidate
      >
        <Stack gap="md">
          {children}
          <Group gap="xs">
            <Button
              type="submit"
              variant={isDirty ? 'filled' : 'default'}
              disabled={!isDirty}
              loading={form.submitting}
            >
              Save
            </Button>
            {isDirty && (
              <Button variant="subtle" color="gray" onClick={() => form.reset()}>
                Undo
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </SectionFrame>
  );
}

/** Something that failed beside a field, in its words. */
export const failureWords = (error: unknown): string =>
  error instanceof ApiError && error.details[0] !== undefined
    ? `${error.details[0].path} ${error.details[0].message}`
    : wordsOf(error);
