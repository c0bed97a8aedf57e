/** The fields of a submission, with their values as submitted. Long values expand in steps, many fields in pages. */
import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { beginning, boundedJson } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ExactTime } from '../../ui/relative-time.js';
import { Untrusted, UntrustedLink } from '../../ui/untrusted.js';
import { ValueChips } from '../../ui/value-chips.js';
import { chipsIn, momentIn } from '../../ui/value-kind.js';
import * as words from '../../words/submission.js';
import { yesOrNo } from '../../words/submissions.js';
import { type Labels, labelOf } from '../submissions/columns.js';

const firstChars = 2_000;
const stepChars = 32_000;
/** Laying out two hundred, with a long word in each, took a browser four seconds. */
const fieldsAtOnce = 50;
const maxTextsInList = 50;
/** From this many fields on, short ones use two columns where there is room. */
const manyFields = 10;
const shortChars = 40;
/** Browsers lay out a long word slowly. This much of a name identifies it. */
const maxNameChars = 200;

/** Longer texts are collapsed to their start: by lines, or by characters. */
const foldedLines = 12;
const foldedChars = 1_000;
const isFoldable = (text: string): boolean =>
  text.length > foldedChars || text.split('\n', foldedLines + 1).length > foldedLines;

function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(firstChars);
  const [isOpen, setOpen] = useState(false);
  if (!isFoldable(text)) {
    return (
      <span className="written">
        {/\s/.test(text.trim()) ? <Untrusted>{text}</Untrusted> : <UntrustedLink text={text} />}
      </span>
    );
  }
  if (!isOpen) {
    return (
      <>
        <Box className="written folded">
          <Untrusted>{beginning(text, firstChars)}</Untrusted>
        </Box>
        <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
          {words.showAll}
        </Anchor>
      </>
    );
  }
  return (
    <>
      <Box className="written">
        <Untrusted>{beginning(text, shown)}</Untrusted>
        {shown < text.length && '…'}
      </Box>
      <Group gap="sm" mt={4}>
        {shown < text.length && (
          <Anchor component="button" type="button" size="sm" onClick={() => setShown(shown + stepChars)}>
            {words.showMore}
          </Anchor>
        )}
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => {
            setOpen(false);
            setShown(firstChars);
          }}
        >
          {words.showLess}
        </Anchor>
        {text.length > firstChars && (
          <Text span size="xs" c="dimmed">
            {words.charactersShown(Math.min(shown, text.length), text.length)}
          </Text>
        )}
      </Group>
    </>
  );
}

/** Values other than text, as JSON that is serialized only as far as it is shown. */
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

/** A list of texts, one per line. Returns null if it is longer than a single text would be shown. */
export function textsInList(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > maxTextsInList) return null;
  const texts = value.filter((item): item is string => typeof item === 'string');
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  return texts.length === value.length && chars <= firstChars ? texts : null;
}

/** The time in the user's time zone, and as the visitor sent it. */
const Moment = ({ iso, written }: { readonly iso: string; readonly written: string }) => (
  <Group gap="xs">
    <ExactTime iso={iso} />
    <Text span size="xs" c="dimmed" className="mono">
      <Untrusted>{written}</Untrusted>
    </Text>
  </Group>
);

function Value({ value }: { readonly value: unknown }) {
  if (value === '' || value === null)
    return (
      <Text span inherit c="dimmed">
        {value === null ? 'null' : words.empty}
      </Text>
    );
  const moment = momentIn(value);
  if (moment !== null) return <Moment iso={moment} written={String(value)} />;
  if (typeof value === 'boolean') return <span>{yesOrNo(value)}</span>;
  if (typeof value === 'string') return <LongText text={value} />;
  const chips = chipsIn(value);
  if (chips !== null) return <ValueChips values={chips} />;
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

/** Whether it fits beside another field. */
const isShort = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= shortChars && !value.includes('\n')
    : typeof value !== 'object' || value === null;

const copied = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

interface FieldListProps {
  readonly data: Readonly<Record<string, unknown>>;
  readonly labels?: Labels;
}

/** The field's real name, when a label or its length hides it. */
const fullName = (name: string, label: string): string | undefined =>
  name.length > 40 || label !== name ? shownCharacters(beginning(name, maxNameChars)) : undefined;

const FieldName = ({ name, label }: { readonly name: string; readonly label: string }) => (
  <dt title={fullName(name, label)}>
    <Untrusted>{beginning(label, maxNameChars)}</Untrusted>
  </dt>
);

export function FieldList({ data, labels = {} }: FieldListProps) {
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
      <dl className="field-list" data-many={names.length >= manyFields}>
        {names.slice(0, shown).map((name) => (
          <div key={name} data-short={isShort(data[name])}>
            <FieldName name={name} label={labelOf(labels, name)} />
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
