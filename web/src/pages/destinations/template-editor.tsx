/** What is sent instead of the usual message, with placeholders to insert and a preview of a real submission. */
import { Button, Group, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { beginning } from '../../ui/bounded-text.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Submission } from '../../wire.js';
import * as words from '../../words/destinations.js';
import { fieldsOf } from '../submissions/columns.js';
import type { OwnText } from './destination-draft.js';

const always = ['form.name', 'project.name', 'submission.id', 'submission.created_at', 'submission.url'];
const maxFields = 12;
const maxShown = 20_000;

/** A brace would end the placeholder. */
const isWritable = (field: string): boolean => /^[^{}]{1,60}$/.test(field);

/** JSON with an item on each line. */
function spread(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface TemplateEditorProps {
  readonly value: OwnText;
  readonly form: 'json' | 'text';
  readonly seen: readonly Submission[];
  /** The message made of the newest submission that is sent; null: there is none. */
  readonly preview: string | null;
  readonly error: string | null;
  readonly onChange: (value: OwnText) => void;
}

export function TemplateEditor({ value, form, seen, preview, error, onChange }: TemplateEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const names = [
    ...fieldsOf(seen)
      .filter(isWritable)
      .slice(0, maxFields)
      .map((field) => `fields.${field}`),
    ...always,
  ];
  const insert = (name: string) => {
    const { selectionStart = value.text.length, selectionEnd = value.text.length } = area.current ?? {};
    const placeholder = `{{${name}}}`;
    onChange({
      isOwn: true,
      text: `${value.text.slice(0, selectionStart)}${placeholder}${value.text.slice(selectionEnd)}`,
    });
    area.current?.focus();
    const end = selectionStart + placeholder.length;
    // After the new text is in it.
    requestAnimationFrame(() => area.current?.setSelectionRange(end, end));
  };
  return (
    <Stack gap="sm">
      <Switch
        label={words.ownMessage}
        description={words.ownMessageDescription}
        checked={value.isOwn}
        onChange={(event) => onChange({ ...value, isOwn: event.currentTarget.checked })}
      />
      {value.isOwn && (
        <>
          <Textarea
            ref={area}
            label={form === 'json' ? words.templateJson : words.template}
            description={form === 'json' ? words.templateJsonDescription : words.templateDescription}
            value={value.text}
            onChange={(event) => onChange({ isOwn: true, text: event.currentTarget.value })}
            autosize
            minRows={4}
            maxRows={24}
            spellCheck={form === 'text'}
            classNames={{ input: 'mono' }}
            error={error !== null}
          />
          {error !== null && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert" style={{ overflowWrap: 'anywhere' }}>
              <Untrusted>{error}</Untrusted>
            </Text>
          )}
          <fieldset className="placeholders" aria-label={words.insertAPlaceholder}>
            <Group gap={4}>
              {names.map((name) => (
                <Button
                  key={name}
                  size="compact-xs"
                  variant="default"
                  className="mono"
                  aria-label={shownCharacters(words.insertPlaceholder(name))}
                  onClick={() => insert(name)}
                >
                  <Untrusted>{name}</Untrusted>
                </Button>
              ))}
            </Group>
          </fieldset>
        </>
      )}
      {preview !== null && (
        <details className="attempt" open={value.isOwn}>
          <summary>
            <Text span size="sm">
              {words.previewOfNewest}
            </Text>
          </summary>
          <pre className="answer">
            <Untrusted>{beginning(spread(preview), maxShown)}</Untrusted>
          </pre>
        </details>
      )}
    </Stack>
  );
}
