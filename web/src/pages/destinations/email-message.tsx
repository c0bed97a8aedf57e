/** The message of an e-mail destination: templates and sender, with a preview. */
import { MailEditor, type MailText } from '../../mail/mail-editor.js';
import type { Owner } from '../../queries.js';
import { type ConfigValue, configOf, type DestinationDraft, type Faults } from './destination-draft.js';
import { KindFields } from './kind-fields.js';
import { type KindField, lookOf } from './kinds.js';

type Template = Extract<KindField, { input: 'template' }>;

const fields = lookOf('email').fields.filter(({ isOfMessage }) => isOfMessage === true);
const isTemplate = (field: KindField): field is Template => field.input === 'template';
const templateOf = (name: 'subject' | 'text' | 'html'): Template => {
  const found = fields.filter(isTemplate).find(({ key }) => key === name);
  if (!found) throw new Error('An e-mail has all three templates');
  return found;
};

interface EmailMessageProps {
  readonly owner: Owner;
  readonly draft: DestinationDraft;
  readonly faults: Faults;
  readonly onChange: (key: string, value: ConfigValue) => void;
}

export function EmailMessage({ owner, draft, faults, onChange }: EmailMessageProps) {
  const textOf = (name: 'subject' | 'text' | 'html'): MailText => {
    const { description, placeholder, maxLength } = templateOf(name);
    const value = draft.config[name];
    return {
      value: typeof value === 'string' ? value : '',
      maxLength,
      ...(description !== undefined && { description }),
      ...(placeholder !== undefined && { placeholder }),
      error: faults[`config.${name}`],
      onChange: (text) => onChange(name, text),
    };
  };
  return (
    <MailEditor
      owner={owner}
      kind={draft.config.digest ? 'digest' : 'notification'}
      config={configOf('email', draft)}
      texts={{ subject: textOf('subject'), text: textOf('text'), html: textOf('html') }}
    >
      <KindFields
        fields={fields.filter((field) => !isTemplate(field))}
        values={draft.config}
        stored={null}
        faults={faults}
        onChange={onChange}
      />
    </MailEditor>
  );
}
