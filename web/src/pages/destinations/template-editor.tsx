/** A custom message in place of the default, with placeholders to insert and a preview from a real submission. */
import { Stack, Switch, Text, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { beginning } from '../../ui/bounded-text.js';
import { insertPlaceholder, Placeholders, placeholdersOf } from '../../ui/placeholders.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Submission } from '../../wire.js';
import * as words from '../../words/destinations.js';
import { fieldsOf } from '../submissions/columns.js';
import type { OwnText } from './destination-draft.js';

const maxShown = 20_000;

/** Indents JSON. */
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
  /** The message for the newest matching submission; null when there is none. */
  readonly preview: string | null;
  readonly error: string | null;
  readonly onChange: (value: OwnText) => void;
}

export function TemplateEditor({ value, form, seen, preview, error, onChange }: TemplateEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (name: string) =>
    insertPlaceholder(area.current, name, (text) => onChange({ isOwn: true, text }));
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
            error={error !== null && <Untrusted>{error}</Untrusted>}
            errorProps={{ role: 'alert', style: { overflowWrap: 'anywhere' } }}
          />
          <Placeholders names={placeholdersOf(fieldsOf(seen))} onInsert={insert} />
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
