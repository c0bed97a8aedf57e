/** The palette's list of options. Focus stays in the input; `aria-activedescendant` names the active option. */
import { shownCharacters } from '../ui/hidden-characters.js';
import { Untrusted } from '../ui/untrusted.js';
import * as words from '../words/palette.js';
import type { Entry, Group } from './entries.js';

/** Keys contain URLs, and an id must not contain spaces. */
export const optionId = ({ key }: Entry): string => `palette-${encodeURIComponent(key)}`;

interface OptionProps {
  readonly entry: Entry;
  readonly isChosen: boolean;
  readonly onChoose: (entry: Entry) => void;
  readonly onRun: (entry: Entry) => void;
}

const Option = ({ entry, isChosen, onChoose, onRun }: OptionProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box, whose keys move through the options
  // biome-ignore lint/a11y/useKeyWithClickEvents: as above
  <div
    role="option"
    id={optionId(entry)}
    aria-selected={isChosen}
    aria-label={shownCharacters(entry.hint === '' ? entry.label : words.option(entry.label, entry.hint))}
    className="palette-option"
    // On move, not on enter: the list may scroll under a resting pointer.
    onMouseMove={() => isChosen || onChoose(entry)}
    onMouseDown={(event) => event.preventDefault()}
    onClick={() => onRun(entry)}
  >
    <entry.icon size={16} stroke={1.6} aria-hidden />
    <span className="palette-label">
      <Untrusted>{entry.label}</Untrusted>
    </span>{' '}
    <span className="palette-hint">
      <Untrusted>{entry.hint}</Untrusted>
    </span>
  </div>
);

interface OptionsProps extends Omit<OptionProps, 'entry' | 'isChosen'> {
  readonly id: string;
  readonly label: string;
  readonly groups: readonly Group[];
  readonly chosen: Entry;
}

export const Options = ({ id, label, groups, chosen, ...handlers }: OptionsProps) => (
  <div role="listbox" id={id} aria-label={label} className="palette-options">
    {groups.map(({ name, entries }) => (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, not options
      <div key={name} role="group" aria-label={name}>
        <div className="palette-group" aria-hidden>
          {name}
        </div>
        {entries.map((entry) => (
          <Option key={entry.key} entry={entry} isChosen={entry === chosen} {...handlers} />
        ))}
      </div>
    ))}
  </div>
);
