/** The fields of a form: observed fields beside the rules, and a preview of the form. */
import { Button, Group, Radio, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconForms, IconPlus, IconWand } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormFields, usePatchForm } from '../../../queries.js';
import { LoadingRows } from '../../../ui/loading.js';
import { NothingYet } from '../../../ui/nothing-yet.js';
import { ProblemState } from '../../../ui/problem-state.js';
import { SavedForm, useSettings } from '../../../ui/settings-section.js';
import type { FieldRule, FormFields, FormFull, UnknownFields } from '../../../wire.js';
import * as words from '../../../words/fields.js';
import { getASnippet } from '../../../words/form.js';
import type { FormTabProps } from '../form-tab.js';
import './fields.css';
import { ObservedTable } from './observed-table.js';
import { Preview } from './preview.js';
import { RuleCheck } from './rule-check.js';
import { RuleList } from './rule-list.js';
import { maxRules, missingRules } from './rule-settings.js';
import { type RulesState, rulesOf, useRules } from './rules-state.js';

const emptyRule: FieldRule = { name: '', type: 'text' };

interface PartProps {
  readonly title: string;
  readonly description: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

const Part = ({ title, description, actions, children }: PartProps) => (
  <section aria-label={title} className="fields-part">
    <Group justify="space-between" align="flex-end" gap="xs" mb="sm">
      <div className="fields-part-words">
        <Title order={2}>{title}</Title>
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      </div>
      {actions}
    </Group>
    {children}
  </section>
);

const AddField = ({ state, isMain = false }: { readonly state: RulesState; readonly isMain?: boolean }) => (
  <Button
    variant={isMain ? 'filled' : 'default'}
    leftSection={<IconPlus />}
    disabled={state.rules.length >= maxRules}
    onClick={() => state.add([emptyRule], true)}
  >
    {words.addField}
  </Button>
);

interface RulesPartProps {
  readonly state: RulesState;
  readonly observed: FormFields;
}

function RulesPart({ state, observed }: RulesPartProps) {
  const missing = missingRules(observed.data, state.rules);
  return (
    <Part title={words.rules} description={words.rulesDescription}>
      {state.rules.length === 0 ? (
        <Text mb="sm">{words.noRules}</Text>
      ) : (
        <RuleList state={state} observed={observed.data} />
      )}
      <VisuallyHidden role="status">{state.announcement}</VisuallyHidden>
      <Group gap="xs" mt="sm">
        {missing.length > 0 && (
          <Button
            variant={state.rules.length === 0 ? 'filled' : 'default'}
            leftSection={<IconWand />}
            onClick={() => state.add(missing, false)}
          >
            {words.createRules}
          </Button>
        )}
        <AddField state={state} />
        {state.rules.length >= maxRules && (
          <Text size="sm" c="dimmed">
            {words.tooManyRules(maxRules)}
          </Text>
        )}
      </Group>
    </Part>
  );
}

const ArrivedPart = ({ state, observed }: RulesPartProps) => (
  <Part title={words.arrived} description={words.arrivedDescription(observed.sample)}>
    {observed.data.length === 0 ? (
      <Text size="sm" c="dimmed">
        {words.nothingArrived}
      </Text>
    ) : (
      <ObservedTable fields={observed.data} rules={state.rules} onAdd={(rule) => state.add([rule], false)} />
    )}
    {!observed.is_complete && (
      <Text size="sm" c="dimmed" mt="xs">
        {words.stillLearning}
      </Text>
    )}
    {observed.is_truncated && (
      <Text size="sm" c="dimmed" mt="xs">
        {words.truncated}
      </Text>
    )}
  </Part>
);

interface OtherFieldsProps {
  readonly value: UnknownFields;
  readonly hasRules: boolean;
  readonly onChange: (value: UnknownFields) => void;
}

function OtherFields({ value, hasRules, onChange }: OtherFieldsProps) {
  const isMode = (text: string): text is UnknownFields => text in words.unknownNames;
  return (
    <Part title={words.otherFields} description={words.otherFieldsDescription}>
      <Radio.Group
        aria-label={words.otherFields}
        value={value}
        onChange={(text) => isMode(text) && onChange(text)}
      >
        <Stack gap="xs">
          {Object.entries(words.unknownNames).map(([mode, label]) => (
            <Radio key={mode} value={mode} label={label} disabled={!hasRules} />
          ))}
        </Stack>
      </Radio.Group>
      {!hasRules && (
        <Text size="sm" c="dimmed" mt="xs">
          {words.otherFieldsUnused}
        </Text>
      )}
    </Part>
  );
}

const NoFields = ({ formId, state }: { readonly formId: string; readonly state: RulesState }) => (
  <NothingYet
    icon={<IconForms />}
    title={words.noFields}
    document="guides/fields.md"
    actions={
      <>
        <AddField state={state} isMain />
        <Button component={Link} href={`/forms/${formId}/snippets`} variant="default">
          {getASnippet}
        </Button>
      </>
    }
  >
    {words.noFieldsHint}
  </NothingYet>
);

interface FieldsEditorProps {
  readonly stored: FormFull;
  readonly observed: FormFields;
}

function FieldsEditor({ stored, observed }: FieldsEditorProps) {
  const patch = usePatchForm(stored.id);
  const settings = useSettings(stored, rulesOf, (changed) => patch.mutateAsync(changed));
  const { form } = settings;
  const state = useRules(form);
  const { values } = form;
  if (observed.data.length === 0 && values.fields.length === 0 && !settings.isChanged)
    return <NoFields formId={stored.id} state={state} />;
  return (
    <SavedForm settings={settings}>
      <div className="fields-page">
        <div className="fields-main">
          <RulesPart state={state} observed={observed} />
          <ArrivedPart state={state} observed={observed} />
          <OtherFields
            value={values.unknown_fields}
            hasRules={values.fields.length > 0}
            onChange={(mode) => form.setFieldValue('unknown_fields', mode)}
          />
          <Part title={words.check} description={words.checkDescription}>
            <RuleCheck
              formId={stored.id}
              values={values}
              onFaults={(faults) => form.setErrors({ ...faults })}
            />
          </Part>
        </div>
        <aside aria-label={words.preview} className="fields-preview">
          <Title order={2}>{words.preview}</Title>
          <Text size="sm" c="dimmed" mb="sm">
            {words.previewDescription}
          </Text>
          <Preview rules={values.fields} />
        </aside>
      </div>
    </SavedForm>
  );
}

export function FieldsTab({ form }: FormTabProps) {
  const observed = useFormFields(form.id);
  if (observed.isPending)
    return (
      <Stack>
        <LoadingRows />
      </Stack>
    );
  if (observed.isLoadingError)
    return <ProblemState error={observed.error} retry={() => void observed.refetch()} />;
  return <FieldsEditor stored={form} observed={observed.data} />;
}
