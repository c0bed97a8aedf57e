/** The fields of a form: received fields, rules, and the preview. */
import type { ReactNode } from 'react';
import type { FieldType, UnknownFields } from '../wire.js';
import { count, formatList, formatNumber, formatPercent } from './format.js';
import { sentence } from './sentence.js';

// Rules
export const rules = 'Rules';
export const rulesDescription =
  'What your form accepts, in the order of its fields. A submission that breaks a rule is rejected, and the visitor sees why.';
export const noRules = 'This form accepts everything.';
export const createRules = 'Create rules from what arrived';
export const rulesCreated = (rules: number): string =>
  count(rules, {
    one: '# rule was created. Check it, then save.',
    other: '# rules were created. Check them, then save.',
  });
export const addField = 'Add a field';
export const tooManyRules = (most: number): string => `A form has up to ${formatNumber(most)} rules.`;
export const newField = 'New field';
export const required = 'Required';
export const edit = 'Edit';
export const remove = 'Remove';
export const removed = (name: string): string => `${name} was removed`;
export const move = (name: string): string => `Move ${name}`;
export const moveHint = 'Drag, or press the arrow keys';
export const moveUp = 'Move up';
export const moveDown = 'Move down';
export const moved = (name: string, place: number, all: number): string =>
  `${name} is now number ${formatNumber(place)} of ${formatNumber(all)}`;

// Observed values
export const seen = (kinds: readonly string[], share: number): string =>
  formatList([...kinds.map((kind) => kindNames[kind] ?? kind), filled(share)]);
export const neverSeen = 'never sent';
const filled = (share: number): string => `${formatPercent(share)} filled`;
export const share = (part: number): string => formatPercent(part);
const kindNames: Readonly<Record<string, string>> = {
  ...{ text: 'text', email: 'e-mail', url: 'URL', number: 'number', date: 'date', boolean: 'yes or no' },
  ...{ choice: 'choice', list: 'list', file: 'file' },
};
export const kindList = (kinds: readonly string[]): string =>
  kinds.length === 0 ? 'always empty' : formatList(kinds.map((kind) => kindNames[kind] ?? kind));

// Received fields
export const arrived = 'Received fields';
export const arrivedDescription = (sample: number): string =>
  count(sample, {
    one: 'Inlet learns the fields of a form from its submissions. Percentages and values come from the newest submission.',
    other:
      'Inlet learns the fields of a form from its submissions. Percentages and values come from the newest #.',
  });
export const stillLearning = 'Older submissions are still being learned. More fields may appear.';
export const truncated = 'This form has had 1,000 fields. Further ones are not listed.';
export const nothingArrived = 'Nothing has arrived yet. Fields appear here with the first submission.';
export const field = 'Field';
export const filledHead = 'Filled';
export const frequentValues = 'Frequent values';
export const valueCount = (value: string, times: number): string => `${value} (${formatNumber(times)})`;
export const firstSeen = (time: ReactNode): ReactNode => sentence`first ${time}`;
export const lastSeen = 'Last seen';
export const addRule = 'Add rule';
export const addRuleFor = (name: string): string => `Add rule for ${name}`;
export const hasRule = 'Has a rule';
export const noRuleFits = 'No rule fits';
export const showAll = (fields: number): string => `Show all ${formatNumber(fields)}`;

// A rule
export const fieldName = 'Field name';
export const fieldNameDescription = 'The name of the input in your form.';
export const label = 'Label';
export const labelDescription = 'Shown to visitors. Empty uses the field name.';
export const type = 'Type';
export const typeNames: Readonly<Record<FieldType, string>> = {
  text: 'Text',
  textarea: 'Text with several lines',
  email: 'E-mail address',
  url: 'Web address',
  tel: 'Phone number',
  number: 'Number',
  integer: 'Whole number',
  date: 'Date',
  time: 'Time',
  boolean: 'Yes or no',
  choice: 'Choice',
  file: 'File',
  hidden: 'Hidden',
};
export const requiredDescription = 'Visitors must fill it in.';
export const lowest = 'Minimum value';
export const highest = 'Maximum value';
export const shortest = 'Minimum characters';
export const longest = 'Maximum characters';
export const noLimit = 'No limit';
export const choices = 'Choices';
export const choicesDescription = 'The values that are accepted. Press Enter after each.';
export const multiple: Readonly<Partial<Record<FieldType, string>>> = {
  choice: 'Visitors can choose several',
  email: 'Several addresses are accepted',
  file: 'Several files are accepted',
};
export const accept = 'Accepted files';
export const acceptDescription = 'Extensions such as .pdf, and types such as image/*. Empty accepts all.';
export const acceptExample = '.pdf';
export const maxFiles = 'Maximum files';
export const maxSize = 'Maximum size of each file';
export const megabytes = ' MB';
export const placeholder = 'Placeholder';
export const placeholderDescription = 'Shown in the empty input.';
export const help = 'Help';
export const helpDescription = 'Shown below the input.';

// Fields without a rule
export const otherFields = 'Fields without a rule';
export const otherFieldsDescription = 'What happens to fields and files that no rule names.';
export const unknownNames: Readonly<Record<UnknownFields, string>> = {
  keep: 'Keep them',
  drop: 'Drop them',
  reject: 'Reject the submission',
};
export const otherFieldsUnused = 'This takes effect when the form has rules.';

// The check
export const check = 'Check before you save';
export const checkDescription =
  'See which of your newest submissions these rules would have rejected. Nothing changes.';
export const checkNow = 'Check the last 1,000 submissions';
export const checkNeedsRules = 'Create a rule first.';
export const nothingToCheck = 'There are no submissions to check yet.';
export const allValid = (checked: number): string =>
  count(checked, {
    one: 'The only submission meets these rules.',
    other: 'All # submissions meet these rules.',
  });
export const someInvalid = (invalid: number, checked: number): string =>
  count(invalid, {
    one: `# of ${formatNumber(checked)} submissions would have been rejected:`,
    other: `# of ${formatNumber(checked)} submissions would have been rejected:`,
  });
export const notChecked = (reason: string): string => `Not checked. ${reason}`;
export const checkMarked = 'Not checked. Correct the marked fields first.';
const violations: Readonly<Record<string, string>> = {
  required: 'is not filled in',
  type_email: 'is not an e-mail address',
  type_url: 'is not a web address',
  type_number: 'is not a number of this kind',
  type_date: 'is not a date or time',
  too_short: 'is too short',
  too_long: 'is too long',
  too_small: 'is too small',
  too_large: 'is too large',
  not_a_choice: 'is not one of the choices',
  too_many: 'has several values',
  file_type: 'is not a file of this type',
  file_too_large: 'is a file that is too large',
  unknown_field: 'has no rule',
};
export const violation = (code: string): string => violations[code] ?? code;
export const times = (submissions: number): string =>
  count(submissions, { one: 'in # submission', other: 'in # submissions' });
export const example = 'Show an example';

// The preview
export const preview = 'Preview';
export const previewDescription = 'What visitors fill in.';
export const previewEmpty = 'The form appears here as soon as it has a rule.';
export const chooseOne = 'Choose…';
export const chooseFile = 'Choose file';
export const chooseFiles = 'Choose files';
export const send = 'Send';
export const hiddenFields = (fields: number): string =>
  count(fields, { one: '# hidden field is not shown.', other: '# hidden fields are not shown.' });

// Empty
export const noFields = 'No fields yet';
export const noFieldsHint =
  'Inlet learns the fields of a form from its submissions. You can also add them yourself before the first one.';
