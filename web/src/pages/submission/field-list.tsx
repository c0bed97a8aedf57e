/** The fields of a submission, each with its value as it was written. Long values open in steps, many fields in pages. */
import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { beginning, boundedJson } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { Untrusted, UntrustedLink } from '../../ui/untrusted.js';
import * as words from '../../words/submission.js';

const firstChars = 2_000;
const stepChars = 32_000;
/** Two hundred, with long words in each, took the browser four seconds to lay out. */
const fieldsAtOnce = 50;
const maxTextsInList = 50;
/** Browsers lay out one long word slowly; that much of a name says what it is. */
const maxNameChars = 200;

interface MoreProps {
  readonly shown: number;
  readonly total: number;
  readonly onShow: (chars: number) => void;
}

const More = ({ shown, total, onShow }: MoreProps) => (
  <Group gap="sm" mt={4}>
    {shown < total && (
      <Anchor component="button" type="button" size="sm" onClick={() => onShow(shown + stepChars)}>
        {words.showMore}
      </Anchor>
    )}
    {shown > firstChars && (
      <Anchor component="button" type="button" size="sm" onClick={() => onShow(firstChars)}>
        {words.showLess}
      </Anchor>
    )}
    <Text span size="xs" c="dimmed">
      {words.charactersShown(Math.min(shown, total), total)}
    </Text>
  </Group>
);

function LongText({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) {
  const [shown, setShown] = useState(firstChars);
  if (text.length <= firstChars) {
    return (
      <span className={isCode ? 'written mono' : 'written'}>
        {isCode || /\s/.test(text.trim()) ? <Untrusted>{text}</Untrusted> : <UntrustedLink text={text} />}
      </span>
    );
  }
  return (
    <>
      <Box className={isCode ? 'written mono' : 'written'} mah={480} style={{ overflowY: 'auto' }}>
        <Untrusted>{beginning(text, shown)}</Untrusted>
        {shown < text.length && '…'}
      </Box>
      <More shown={shown} total={text.length} onShow={setShown} />
    </>
  );
}

/** What is no text is shown as JSON, written no further than it is shown. */
export function JsonText({ value }: { readonly value: unknown }) {
  const [shown, setShown] = useState(firstChars);
  const { text, isCut } = useMemo(() => boundedJson(value, shown), [value, shown]);
  return (
    <>
      <Box className="written mono" mah={640} style={{ overflowY: 'auto' }}>
        <Untrusted>{text}</Untrusted>
        {isCut && '…'}
      </Box>
      {(isCut || shown > firstChars) && (
        <Group gap="sm" mt={4}>
          {isCut && (
            <Anchor component="button" type="button" size="sm" onClick={() => setShown(shown + stepChars)}>
              {words.showMore}
            </Anchor>
          )}
          {shown > firstChars && (
            <Anchor component="button" type="button" size="sm" onClick={() => setShown(firstChars)}>
              {words.showLess}
            </Anchor>
          )}
        </Group>
      )}
    </>
  );
}

/** A choice of several, one below the other; null for what would be longer so than any single text is shown. */
export function textsInList(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > maxTextsInList) return null;
  const texts = value.filter((item): item is string => typeof item === 'string');
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  return texts.length === value.length && chars <= firstChars ? texts : null;
}

function Value({ value }: { readonly value: unknown }) {
  if (value === '' || value === null)
    return (
      <Text span inherit c="dimmed">
        {value === null ? 'null' : words.empty}
      </Text>
    );
  if (typeof value === 'string') return <LongText text={value} />;
  const texts = textsInList(value);
  if (texts !== null)
    return (
      <Stack gap={4}>
        {texts.map((item, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that was sent once does not change
          <LongText key={place} text={item} />
        ))}
      </Stack>
    );
  if (typeof value === 'object') return <JsonText value={value} />;
  return <span className="mono">{String(value)}</span>;
}

const copied = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

export function FieldList({ data }: { readonly data: Readonly<Record<string, unknown>> }) {
  const [shown, setShown] = useState(fieldsAtOnce);
  const names = useMemo(() => Object.keys(data), [data]);
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed" p="md">
        {words.noFields}
      </Text>
    );
  return (
    <>
      <dl className="field-list">
        {names.slice(0, shown).map((name) => (
          <div key={name}>
            <dt title={name.length > 40 ? shownCharacters(beginning(name, maxNameChars)) : undefined}>
              <Untrusted>{beginning(name, maxNameChars)}</Untrusted>
            </dt>
            <dd>
              <Value value={data[name]} />
            </dd>
            <dd>
              <CopyButton value={() => copied(data[name])} label={words.copyValue} isOneOfMany />
            </dd>
          </div>
        ))}
      </dl>
      {names.length > fieldsAtOnce && (
        <Group p="md" gap="sm">
          <Text size="xs" c="dimmed">
            {words.fieldsShown(Math.min(shown, names.length), names.length)}
          </Text>
          {shown < names.length && (
            <Button variant="default" size="xs" onClick={() => setShown(shown + fieldsAtOnce)}>
              {words.showMoreFields(Math.min(fieldsAtOnce, names.length - shown))}
            </Button>
          )}
        </Group>
      )}
    </>
  );
}
