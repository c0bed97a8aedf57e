/** Template placeholders, inserted at the cursor on click. */
import { Button, Group } from '@mantine/core';
import * as words from '../words/destinations.js';
import { shownCharacters } from './hidden-characters.js';
import { Untrusted } from './untrusted.js';

const maxFields = 12;

/** A brace would end the placeholder. */
const isWritable = (field: string): boolean => /^[^{}]{1,60}$/.test(field);

export const placeholdersOf = (fields: readonly string[]): readonly string[] => [
  ...fields
    .filter(isWritable)
    .slice(0, maxFields)
    .map((field) => `fields.${field}`),
  ...['form.name', 'project.name', 'submission.id', 'submission.created_at', 'submission.url'],
];

/** Replaces the selection and puts the cursor after the placeholder. */
export function insertPlaceholder(
  input: HTMLInputElement | HTMLTextAreaElement | null,
  name: string,
  onChange: (text: string) => void,
): void {
  if (input === null) return;
  const { value, selectionStart, selectionEnd } = input;
  const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  const placeholder = `{{${name}}}`;
  onChange(`${value.slice(0, start)}${placeholder}${value.slice(end)}`);
  input.focus();
  const after = start + placeholder.length;
  // Once the input has the new text.
  requestAnimationFrame(() => input.setSelectionRange(after, after));
}

interface PlaceholdersProps {
  readonly names: readonly string[];
  readonly onInsert: (name: string) => void;
}

export const Placeholders = ({ names, onInsert }: PlaceholdersProps) => (
  <fieldset className="placeholders" aria-label={words.insertAPlaceholder}>
    <Group gap={4}>
      {names.map((name) => (
        <Button
          key={name}
          size="compact-xs"
          variant="default"
          className="mono"
          aria-label={shownCharacters(words.insertPlaceholder(name))}
          onClick={() => onInsert(name)}
        >
          <Untrusted>{name}</Untrusted>
        </Button>
      ))}
    </Group>
  </fieldset>
);
