/** The form as visitors see it. Read-only: nothing in it can be focused or sent. */
import { Text } from '@mantine/core';
import { Untrusted } from '../../../ui/untrusted.js';
import type { FieldRule } from '../../../wire.js';
import * as words from '../../../words/fields.js';
import { titleOf } from './rule-settings.js';

/** More choices become a select. */
const mostButtons = 6;
const shownChoices = 50;

const Mark = ({ rule }: { readonly rule: FieldRule }) =>
  rule.required === true ? <span className="preview-mark"> *</span> : null;

const Label = ({ rule }: { readonly rule: FieldRule }) => (
  <span className="preview-label">
    <Untrusted>{titleOf(rule)}</Untrusted>
    <Mark rule={rule} />
  </span>
);

function Choice({ rule }: { readonly rule: FieldRule }) {
  const { choices = [], multiple = false, name } = rule;
  if (choices.length > mostButtons && !multiple)
    return (
      <select className="preview-input" defaultValue="">
        <option value="">{words.chooseOne}</option>
      </select>
    );
  return choices.slice(0, shownChoices).map((choice) => (
    <label key={choice} className="preview-choice">
      <input type={multiple ? 'checkbox' : 'radio'} name={`preview ${name}`} />
      <Untrusted>{choice}</Untrusted>
    </label>
  ));
}

function Input({ rule }: { readonly rule: FieldRule }) {
  const { placeholder } = rule;
  if (rule.type === 'choice') return <Choice rule={rule} />;
  if (rule.type === 'textarea')
    return <textarea className="preview-input" rows={3} placeholder={placeholder} />;
  if (rule.type === 'file')
    return <span className="preview-file">{rule.multiple ? words.chooseFiles : words.chooseFile}</span>;
  const type = rule.type === 'integer' ? 'number' : rule.type;
  return <input className="preview-input" type={type} placeholder={placeholder} />;
}

const PreviewField = ({ rule }: { readonly rule: FieldRule }) => (
  <div className="preview-field">
    {rule.type === 'boolean' ? (
      <span className="preview-choice">
        <input type="checkbox" />
        <Label rule={rule} />
      </span>
    ) : (
      <>
        <Label rule={rule} />
        <Input rule={rule} />
      </>
    )}
    {rule.help !== undefined && (
      <Text size="xs" c="dimmed">
        <Untrusted>{rule.help}</Untrusted>
      </Text>
    )}
  </div>
);

export function Preview({ rules }: { readonly rules: readonly FieldRule[] }) {
  const shown = rules.filter(({ type }) => type !== 'hidden');
  const hidden = rules.length - shown.length;
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {words.previewEmpty}
      </Text>
    );
  return (
    <>
      <div className="preview panel" inert>
        {shown.map((rule, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are edited, and may be the same
          <PreviewField key={place} rule={rule} />
        ))}
        <span className="preview-send">{words.send}</span>
      </div>
      {hidden > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {words.hiddenFields(hidden)}
        </Text>
      )}
    </>
  );
}
