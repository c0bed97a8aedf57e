/** Checks the unsaved rules against past submissions, and shows what they would have rejected. */
import { Anchor, Button, Text } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api, wordsOf } from '../../../api.js';
import { dashboardPath } from '../../../page-facts.js';
import { faultsByPath } from '../../../ui/field-faults.js';
import { Untrusted } from '../../../ui/untrusted.js';
import type { FieldsChecked } from '../../../wire.js';
import * as words from '../../../words/fields.js';
import { titleOf } from './rule-settings.js';
import type { RuleValues } from './rules-state.js';

interface ResultProps {
  readonly checked: FieldsChecked;
  readonly values: RuleValues;
}

function Result({ checked: { checked, valid, violations }, values }: ResultProps) {
  if (checked === 0) return <Text size="sm">{words.nothingToCheck}</Text>;
  if (violations.length === 0) return <Text size="sm">{words.allValid(checked)}</Text>;
  return (
    <>
      <Text size="sm">{words.someInvalid(checked - valid, checked)}</Text>
      <ul className="violations">
        {violations.map(({ field, code, count, submission_id }) => (
          <li key={`${code} ${field}`}>
            <Text span size="sm" fw={600}>
              <Untrusted>
                {titleOf(values.fields.find(({ name }) => name === field) ?? { name: field })}
              </Untrusted>
            </Text>{' '}
            {words.violation(code)}{' '}
            <Text span size="sm" c="dimmed">
              {words.times(count)}
            </Text>{' '}
            {/* In a new tab, because this page may have unsaved changes. */}
            <Anchor href={`${dashboardPath}/submissions/${submission_id}`} target="_blank" size="sm">
              {words.example}
            </Anchor>
          </li>
        ))}
      </ul>
    </>
  );
}

interface RuleCheckProps {
  readonly formId: string;
  readonly values: RuleValues;
  /** Errors in the rules themselves, by path. */
  readonly onFaults: (faults: Readonly<Record<string, string>>) => void;
}

export function RuleCheck({ formId, values, onFaults }: RuleCheckProps) {
  const check = useMutation({
    mutationFn: (rules: RuleValues) => api.post<FieldsChecked>(`/forms/${formId}/fields/check`, rules),
    onError: (error) => onFaults(faultsByPath(error)),
  });
  // A result for other rules would mislead.
  const isOfThese = JSON.stringify(check.variables) === JSON.stringify(values);
  const hasFaults = Object.keys(faultsByPath(check.error)).length > 0;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconListCheck />}
        disabled={values.fields.length === 0}
        loading={check.isPending}
        onClick={() => check.mutate(values)}
      >
        {words.checkNow}
      </Button>
      <div role="status" className="check-result">
        {values.fields.length === 0 && (
          <Text size="sm" c="dimmed">
            {words.checkNeedsRules}
          </Text>
        )}
        {check.isSuccess && isOfThese && <Result checked={check.data} values={values} />}
        {check.isError && isOfThese && (
          <Text size="sm" c="var(--mantine-color-error)">
            {hasFaults ? words.checkMarked : words.notChecked(wordsOf(check.error))}
          </Text>
        )}
      </div>
    </>
  );
}
