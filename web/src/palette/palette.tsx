/** The command palette: an input, and below it everything that matches. Works with the keyboard alone and with the mouse alone. */
import { Group, Kbd, Modal, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { CreateForm } from '../pages/project/create-form.js';
import { CreateProject } from '../pages/projects/create-project.js';
import { tellNotCopied } from '../ui/copy-button.js';
import { tellDone } from '../ui/tell.js';
import { Untrusted } from '../ui/untrusted.js';
import * as common from '../words/common.js';
import * as palette from '../words/palette.js';
import type { Entry } from './entries.js';
import { groupsFor } from './entries.js';
import { useFoundSubmissions } from './found-submissions.js';
import { Options, optionId } from './options.js';
import './palette.css';
import { recentKeys, rememberKey } from './recent.js';
import { useGroups } from './use-groups.js';

export interface PaletteProps {
  readonly opened: boolean;
  /** `isLeaving`: focus moves elsewhere instead of returning to where it was. */
  readonly onClose: (isLeaving: boolean) => void;
  readonly onHelp: () => void;
}

const listId = 'palette-options';

/** A project to be created, or a form in the project with this id. */
type Creating = 'project' | { readonly formIn: string } | null;

type Search = Omit<ReturnType<typeof useFoundSubmissions>, 'entries'>;

function noteFor(words: string, count: number, { isLooking, isFailed }: Search): string | null {
  if (words === '') return null;
  if (isLooking) return palette.searching;
  if (isFailed) return palette.searchFailed;
  return count === 0 ? palette.nothingMatches(words) : null;
}

/** The entries offered for the query. */
function useOffer(words: string, isWanted: boolean, works: Parameters<typeof useGroups>[1]) {
  const { groups, forms, isLooking } = useGroups(isWanted, works);
  const nameOf = (formId: string): string =>
    forms.find(({ id }) => id === formId)?.name ?? palette.unnamedForm;
  const found = useFoundSubmissions(isWanted ? words : '', nameOf);
  const matching = groupsFor(words, groups, recentKeys());
  // A query that matches submissions is more likely about them than about a documentation page with the same word.
  const offered = [
    ...matching.filter(({ name }) => name !== palette.documentation),
    ...(found.entries.length === 0 ? [] : [{ name: common.submissions, entries: found.entries }]),
    ...matching.filter(({ name }) => name === palette.documentation),
  ];
  const entries = offered.flatMap((group) => group.entries);
  const note = noteFor(words, entries.length, { ...found, isLooking: found.isLooking || isLooking });
  return { groups: offered, entries, note };
}

const Hints = () => (
  <Group className="palette-hints" gap="md" visibleFrom="sm" aria-hidden>
    <span>{palette.keysToMove(<Kbd size="xs">↑</Kbd>, <Kbd size="xs">↓</Kbd>)}</span>
    <span>{palette.keyToOpen(<Kbd size="xs">{common.enterKey}</Kbd>)}</span>
    <span>{palette.keyToClose(<Kbd size="xs">{common.escapeKey}</Kbd>)}</span>
  </Group>
);

export function Palette({ opened, onClose, onHelp }: PaletteProps) {
  const [text, setText] = useState('');
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const [creating, setCreating] = useState<Creating>(null);
  const [location, navigate] = useLocation();
  const words = text.trim();
  const { groups, entries, note } = useOffer(words, opened, {
    createProject: () => setCreating('project'),
    createForm: (projectId) => setCreating({ formIn: projectId }),
    copy: async (copied, done) => {
      try {
        await navigator.clipboard.writeText(copied);
        tellDone(done);
      } catch {
        tellNotCopied();
      }
    },
    help: onHelp,
  });
  // Entries change while results load: the active entry stays active, and there is always one.
  const place = Math.max(
    entries.findIndex(({ key }) => key === chosenKey),
    0,
  );
  const chosen = entries[place];
  useEffect(() => {
    if (opened && chosen !== undefined)
      document.getElementById(optionId(chosen))?.scrollIntoView({ block: 'nearest' });
  }, [opened, chosen]);
  const write = (next: string) => {
    setText(next);
    setChosenKey(null);
  };
  const close = (isLeaving: boolean) => {
    write('');
    onClose(isLeaving);
  };
  const run = ({ key, target }: Entry) => {
    close('act' in target || ('to' in target && target.to !== location));
    if ('act' in target) return target.act();
    if (!key.startsWith('submission:') && !key.startsWith('matches:')) rememberKey(key);
    if ('to' in target) navigate(target.to);
    else window.open(target.href, '_blank', 'noopener');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    // During IME composition, these keys select among candidates.
    if (event.nativeEvent.isComposing || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step === undefined) {
      if (chosen !== undefined) run(chosen);
    } else setChosenKey(entries[(place + step + entries.length) % entries.length]?.key ?? null);
  };
  return (
    <>
      <Modal.Root
        opened={opened}
        onClose={() => close(false)}
        size={640}
        yOffset="10vh"
        centered={false}
        returnFocus={false}
        transitionProps={{ duration: 100 }}
        classNames={{ content: 'palette' }}
      >
        <Modal.Overlay />
        <Modal.Content aria-label={palette.commands}>
          <TextInput
            value={text}
            onChange={(event) => write(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            placeholder={palette.placeholder}
            aria-label={palette.commands}
            role="combobox"
            aria-expanded={entries.length > 0}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={chosen === undefined ? undefined : optionId(chosen)}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            size="md"
            variant="unstyled"
            leftSection={<IconSearch size={18} stroke={1.6} />}
            data-autofocus
          />
          {chosen !== undefined && (
            <Options
              id={listId}
              label={palette.commands}
              groups={groups}
              chosen={chosen}
              onChoose={({ key }) => setChosenKey(key)}
              onRun={run}
            />
          )}
          <Text size="sm" c="dimmed" role="status" className="palette-note">
            {note !== null && <Untrusted>{note}</Untrusted>}
          </Text>
          <Hints />
        </Modal.Content>
      </Modal.Root>
      <CreateProject opened={creating === 'project'} onClose={() => setCreating(null)} />
      <CreateForm
        projectId={creating !== null && creating !== 'project' ? creating.formIn : ''}
        opened={creating !== null && creating !== 'project'}
        onClose={() => setCreating(null)}
      />
    </>
  );
}
