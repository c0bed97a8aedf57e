/** The settings of a rule, depending on its type. */
import {
  Button,
  Group,
  NumberInput,
  type NumberInputProps,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { TextList } from '../../../ui/text-list.js';
import type { FieldRule, FieldType } from '../../../wire.js';
import * as words from '../../../words/fields.js';
import { type RuleChange, settingsOf } from './rule-settings.js';

export interface RuleEditorProps {
  readonly rule: FieldRule;
  readonly onChange: (change: RuleChange) => void;
  readonly faultOf: (setting: string) => string | undefined;
}

type TextSetting = 'name' | 'label' | 'placeholder' | 'help';
type NumberName = 'min' | 'max' | 'min_length' | 'max_length' | 'max_files' | 'max_bytes';

/** Sizes are entered in megabytes. */
const bytesPerMegabyte = 1_000_000;

const textProps = ({ rule, onChange, faultOf }: RuleEditorProps, setting: TextSetting) => ({
  value: rule[setting] ?? '',
  onChange: (event: { currentTarget: { value: string } }) =>
    onChange({ [setting]: event.currentTarget.value }),
  error: faultOf(setting),
});

interface NumberSettingProps extends Pick<NumberInputProps, 'label' | 'suffix' | 'allowDecimal'> {
  readonly editor: RuleEditorProps;
  readonly setting: NumberName;
  readonly unit?: number;
}

/** Partial input, such as a lone minus, is not a number yet. */
const numberIn = (entered: number | string): number | undefined =>
  entered === '' || Number.isNaN(Number(entered)) ? undefined : Number(entered);

function NumberSetting({ editor, setting, unit = 1, ...input }: NumberSettingProps) {
  const { rule, onChange, faultOf } = editor;
  const stored = rule[setting];
  const value = stored === undefined ? undefined : stored / unit;
  const [draft, setDraft] = useState<number | string>(value ?? '');
  return (
    <NumberInput
      {...input}
      // The text being typed, unless the rule has changed from outside.
      value={numberIn(draft) === value ? draft : (value ?? '')}
      onChange={(entered) => {
        setDraft(entered);
        const number = numberIn(entered);
        onChange({ [setting]: number === undefined || unit === 1 ? number : Math.round(number * unit) });
      }}
      error={faultOf(setting)}
      placeholder={words.noLimit}
      hideControls
    />
  );
}

function Limits(props: RuleEditorProps) {
  const { type } = props.rule;
  const settings = settingsOf[type];
  return (
    <>
      {settings.includes('min') && (
        <SimpleGrid cols={2}>
          <NumberSetting label={words.lowest} editor={props} setting="min" />
          <NumberSetting label={words.highest} editor={props} setting="max" />
        </SimpleGrid>
      )}
      {settings.includes('min_length') && (
        <SimpleGrid cols={2}>
          <NumberSetting label={words.shortest} allowDecimal={false} editor={props} setting="min_length" />
          <NumberSetting label={words.longest} allowDecimal={false} editor={props} setting="max_length" />
        </SimpleGrid>
      )}
    </>
  );
}

const Several = ({ rule, onChange }: RuleEditorProps) => (
  <Switch
    label={words.multiple[rule.type]}
    checked={rule.multiple === true}
    onChange={(event) => onChange({ multiple: event.currentTarget.checked })}
  />
);

const Choices = (props: RuleEditorProps) => (
  <>
    <TagsInput
      label={words.choices}
      description={words.choicesDescription}
      value={props.rule.choices ?? []}
      onChange={(choices) => props.onChange({ choices })}
      splitChars={['\n']}
      maxTags={500}
      maxLength={200}
      acceptValueOnBlur
      error={props.faultOf('choices')}
    />
    <Several {...props} />
  </>
);

const Files = (props: RuleEditorProps) => (
  <>
    <TextList
      label={words.accept}
      description={words.acceptDescription}
      placeholder={words.acceptExample}
      value={props.rule.accept ?? []}
      onChange={(accept) => props.onChange({ accept })}
      error={props.faultOf('accept')}
    />
    <Several {...props} />
    <SimpleGrid cols={2}>
      <NumberSetting
        label={words.maxSize}
        suffix={words.megabytes}
        editor={props}
        setting="max_bytes"
        unit={bytesPerMegabyte}
      />
      {props.rule.multiple === true && (
        <NumberSetting label={words.maxFiles} allowDecimal={false} editor={props} setting="max_files" />
      )}
    </SimpleGrid>
  </>
);

const types = Object.entries(words.typeNames).map(([value, label]) => ({ value, label }));

export function RuleEditor(props: RuleEditorProps) {
  const { rule, onChange, faultOf } = props;
  const isType = (value: string | null): value is FieldType => value !== null && value in words.typeNames;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={words.fieldName}
          description={words.fieldNameDescription}
          maxLength={200}
          spellCheck={false}
          autoCapitalize="off"
          classNames={{ input: 'mono' }}
          {...textProps(props, 'name')}
        />
        <TextInput
          label={words.label}
          description={words.labelDescription}
          maxLength={200}
          {...textProps(props, 'label')}
        />
      </SimpleGrid>
      <Group gap="lg" align="flex-end">
        <Select
          label={words.type}
          data={types}
          value={rule.type}
          onChange={(type) => isType(type) && onChange({ type })}
          allowDeselect={false}
          error={faultOf('type')}
        />
        <Switch
          label={words.required}
          description={words.requiredDescription}
          checked={rule.required === true}
          onChange={(event) => onChange({ required: event.currentTarget.checked })}
        />
      </Group>
      {rule.type === 'choice' && <Choices {...props} />}
      {rule.type === 'file' && <Files {...props} />}
      <Limits {...props} />
      {rule.type === 'email' && <Several {...props} />}
      {rule.type !== 'hidden' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {settingsOf[rule.type].includes('placeholder') && (
            <TextInput
              label={words.placeholder}
              description={words.placeholderDescription}
              maxLength={200}
              {...textProps(props, 'placeholder')}
            />
          )}
          <TextInput
            label={words.help}
            description={words.helpDescription}
            maxLength={500}
            {...textProps(props, 'help')}
          />
        </SimpleGrid>
      )}
    </Stack>
  );
}

interface RuleActionsProps {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** Alternatives to dragging. */
export const RuleActions = ({ isFirst, isLast, onMove, onRemove }: RuleActionsProps) => (
  <Group gap="xs">
    <Button
      variant="default"
      size="xs"
      leftSection={<IconArrowUp />}
      disabled={isFirst}
      onClick={() => onMove(-1)}
    >
      {words.moveUp}
    </Button>
    <Button
      variant="default"
      size="xs"
      leftSection={<IconArrowDown />}
      disabled={isLast}
      onClick={() => onMove(1)}
    >
      {words.moveDown}
    </Button>
    <Button variant="subtle" color="red" size="xs" leftSection={<IconTrash />} onClick={onRemove} ml="auto">
      {words.remove}
    </Button>
  </Group>
);
