/** A list to choose from by pointer or keyboard: arrows move, Enter chooses. A long list can be searched. */
import { Text, TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import * as words from '../words/controls.js';
import { Untrusted } from './untrusted.js';

/** This many fit at a glance. */
const mostWithoutSearch = 8;

export interface Choice {
  readonly key: string;
  readonly label: string;
  /** The kind of choice, shown on the right. */
  readonly hint?: string;
  readonly isChosen?: boolean;
}

interface OptionProps {
  readonly id: string;
  readonly choice: Choice;
  readonly isMarked: boolean;
  readonly onMark: () => void;
  readonly onChoose: () => void;
}

const Option = ({ id, choice, isMarked, onMark, onChoose }: OptionProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the list or its search, whose keys move through the options
  // biome-ignore lint/a11y/useKeyWithClickEvents: as above
  <div
    role="option"
    id={id}
    aria-selected={isMarked}
    className="choice"
    // On move, not on enter: the list may scroll under a resting pointer.
    onMouseMove={() => isMarked || onMark()}
    onMouseDown={(event) => event.preventDefault()}
    onClick={onChoose}
  >
    <span className="choice-label">
      <Untrusted>{choice.label}</Untrusted>
    </span>{' '}
    {choice.hint !== undefined && <span className="choice-hint">{choice.hint}</span>}
    {choice.isChosen && <IconCheck size={16} stroke={1.6} role="img" aria-label={words.chosen} />}
  </div>
);

interface ChoiceListProps<Item extends Choice> {
  /** What the choice is for. */
  readonly label: string;
  readonly choices: readonly Item[];
  readonly onChoose: (choice: Item) => void;
  /** Set it when more choices may load while the list is open. */
  readonly isSearchable?: boolean;
}

/** The container must focus `data-autofocus`, as `FocusTrap` does. */
export function ChoiceList<Item extends Choice>(props: ChoiceListProps<Item>) {
  const { label, choices, onChoose, isSearchable = choices.length > mostWithoutSearch } = props;
  const id = useId();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = choices.filter((choice) => choice.label.toLowerCase().includes(wanted));
  const [place, setPlace] = useState(() =>
    Math.max(
      choices.findIndex(({ isChosen }) => isChosen),
      0,
    ),
  );
  const marked = Math.min(place, found.length - 1);
  const optionId = (at: number): string => `${id}-${at}`;
  const markedId = marked < 0 ? undefined : optionId(marked);
  useEffect(() => {
    if (markedId !== undefined) document.getElementById(markedId)?.scrollIntoView({ block: 'nearest' });
  }, [markedId]);
  const choose = () => {
    const choice = found[marked];
    if (choice !== undefined) onChoose(choice);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setPlace(Math.min(marked + 1, found.length - 1)),
    ArrowUp: () => setPlace(Math.max(marked - 1, 0)),
    Enter: choose,
    // In the search input these keys edit text.
    ...(isSearchable ? {} : { Home: () => setPlace(0), End: () => setPlace(found.length - 1), ' ': choose }),
  };
  const walking = {
    'data-autofocus': true,
    'aria-activedescendant': markedId,
    onKeyDown: (event: KeyboardEvent) => {
      const work = event.nativeEvent.isComposing ? undefined : keys[event.key];
      if (work === undefined) return;
      event.preventDefault();
      work();
    },
  };
  return (
    <>
      {isSearchable && (
        <TextInput
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-controls={id}
          placeholder={words.findInList}
          maxLength={200}
          mb={4}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setPlace(0);
          }}
          {...walking}
        />
      )}
      <div
        role="listbox"
        id={id}
        aria-label={label}
        className="choices"
        tabIndex={isSearchable ? -1 : 0}
        {...(!isSearchable && walking)}
      >
        {found.map((choice, at) => (
          <Option
            key={choice.key}
            id={optionId(at)}
            choice={choice}
            isMarked={at === marked}
            onMark={() => setPlace(at)}
            onChoose={() => onChoose(choice)}
          />
        ))}
      </div>
      {found.length === 0 && (
        <Text size="xs" c="dimmed" px="xs" role="status">
          {words.nothingFound}
        </Text>
      )}
    </>
  );
}
