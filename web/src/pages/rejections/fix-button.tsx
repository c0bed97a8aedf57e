/** The button that changes the settings to allow a rejected request. It shows the change before making it. */

import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../may.js';
import { usePatchForm, usePatchProject } from '../../queries.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { FormFull, ProjectFull } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/rejections.js';
import type { Fix } from './fix.js';

interface FixButtonProps {
  readonly fix: Fix;
  readonly form: FormFull;
  readonly project: ProjectFull;
}

type Change = Extract<Fix, { kind: 'change' }>;

interface ChangeButtonProps extends FixButtonProps {
  readonly fix: Change;
  readonly onChanged: () => void;
}

function ChangeButton({ fix, form, project, onChanged }: ChangeButtonProps) {
  const { label, what, effect, change, projectList } = fix;
  const [isAsking, asking] = useDisclosure();
  const patchForm = usePatchForm(form.id);
  const patchProject = usePatchProject(project.id);
  // Uses the promise: this button is unmounted before the callbacks of `mutate` would run.
  const tellEnd = async (saving: Promise<unknown>) => {
    try {
      await saving;
      asking.close();
      onChanged();
      tellDone(words.saved);
    } catch (error) {
      tellFailure(words.notSaved, error);
    }
  };
  const forProject = () => {
    const { allowed_origins } = change;
    if (allowed_origins) void tellEnd(patchProject.mutateAsync({ allowed_origins }));
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={asking.open} aria-label={`${label}: ${what}`}>
        {label}
      </Button>
      <Modal opened={isAsking} onClose={asking.close} title={label} size={projectList === null ? 'md' : 'lg'}>
        <Stack gap="sm">
          <Text className="mono" fw={500}>
            <Untrusted>{what}</Untrusted>
          </Text>
          <Text size="sm">{effect}</Text>
          {projectList !== null && (
            <Text size="sm">
              {words.listOfProject(
                <Untrusted>{project.name}</Untrusted>,
                <Untrusted>{projectList.join(', ')}</Untrusted>,
              )}
            </Text>
          )}
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={asking.close}>
              {common.cancel}
            </Button>
            {projectList !== null && (
              <Button variant="default" loading={patchProject.isPending} onClick={forProject}>
                {words.allowInTheProject}
              </Button>
            )}
            <Button
              data-autofocus
              loading={patchForm.isPending}
              onClick={() => void tellEnd(patchForm.mutateAsync(change))}
            >
              {projectList === null ? label : words.allowForThisForm}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

interface OutcomeProps {
  readonly fix: Extract<Fix, { words: string }>;
  /** The button that had the focus has just been replaced by this. */
  readonly isFocused: boolean;
}

function Outcome({ fix, isFocused }: OutcomeProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) element.current?.focus();
  }, [isFocused]);
  return (
    <Group ref={element} tabIndex={-1} gap={4} wrap="nowrap" mih={30}>
      {fix.kind === 'done' && <IconCheck aria-hidden />}
      <Text size="sm" c="dimmed">
        {fix.words}
      </Text>
    </Group>
  );
}

export function FixButton({ fix, form, project }: FixButtonProps) {
  const [isChanged, changed] = useDisclosure();
  const may = useMay('forms.manage', form.project_id);
  if (!may && (fix.kind === 'change' || fix.kind === 'go')) return null;
  if (fix.kind === 'change')
    return <ChangeButton fix={fix} form={form} project={project} onChanged={changed.open} />;
  if (fix.kind === 'go') {
    return (
      <Button component={Link} href={fix.to} variant="default" size="xs">
        {fix.label}
      </Button>
    );
  }
  return <Outcome fix={fix} isFocused={isChanged} />;
}
