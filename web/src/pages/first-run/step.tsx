/** A step of the first run: pending, open or done. */
import { Box, Button, Group, Text, TextInput, ThemeIcon, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { wordsOf } from '../../api.js';
import { faultsByField } from '../../ui/field-faults.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as firstRun from '../../words/first-run.js';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isOpen: boolean;
  /** The result; null while it is not done. */
  readonly done: string | null;
  readonly children: ReactNode;
}

export const Step = ({ number, title, isOpen, done, children }: StepProps) => (
  <Box
    component="section"
    aria-label={title}
    className="panel"
    p="lg"
    opacity={isOpen || done !== null ? 1 : 0.75}
  >
    <Group gap="sm" wrap="nowrap">
      <ThemeIcon
        radius="xl"
        size={28}
        variant={isOpen ? 'filled' : 'light'}
        color={isOpen || done ? 'accent' : 'gray'}
      >
        {done === null ? (
          <Text fz={14} fw={600} inherit>
            {number}
          </Text>
        ) : (
          <IconCheck size={16} stroke={2.4} aria-label={firstRun.done} />
        )}
      </ThemeIcon>
      <Title order={2}>{title}</Title>
      {done !== null && (
        <Text c="dimmed" className="line-clamp">
          <Untrusted>{done}</Untrusted>
        </Text>
      )}
    </Group>
    {isOpen && (
      <Box mt="md" pl={{ base: 0, xs: 40 }}>
        {children}
      </Box>
    )}
  </Box>
);

interface NameStepProps extends Omit<StepProps, 'children'> {
  readonly words: string;
  readonly placeholder: string;
  readonly action: string;
  readonly onName: (name: string) => Promise<unknown>;
}

export function NameStep({ words, placeholder, action, onName, ...step }: NameStepProps) {
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? firstRun.nameMissing : null) },
  });
  return (
    <Step {...step}>
      <form
        onSubmit={form.onSubmit(async ({ name }) => {
          try {
            await onName(name);
          } catch (error) {
            form.setErrors({ name: wordsOf(error), ...faultsByField(error) });
          }
        })}
      >
        <Text size="sm" c="dimmed" mb="sm">
          {words}
        </Text>
        <Group gap="xs" align="flex-start">
          <TextInput
            aria-label={step.title}
            placeholder={placeholder}
            maxLength={200}
            autoFocus
            flex="1 1 13.75rem"
            maw={360}
            {...form.getInputProps('name')}
          />
          <Button type="submit" loading={form.submitting}>
            {action}
          </Button>
        </Group>
      </form>
    </Step>
  );
}
