/** What rules would have rejected: checks the newest submissions of a form as intake would. */
import type { FieldRule, UnknownFields } from '../../contract/field-rule.js';
import { createPace } from '../../kernel/pace.js';
import type { Principal } from '../../model/account.js';
import { valuesOf } from '../../model/fields.js';
import type { ViolationCode } from '../../model/violation.js';
import type { Store } from '../../ports/store.js';
import { refuseBadRules } from '../fields/check-rules.js';
import { compileRules } from '../fields/rules.js';
import type { FormService } from '../forms/service.js';
import { newestSubmissions } from './newest.js';

interface CountedViolation {
  readonly field: string;
  readonly code: ViolationCode;
  readonly count: number;
  /** The newest submission that has it. */
  readonly submissionId: string;
}

export interface RuleCheckResult {
  readonly checked: number;
  readonly valid: number;
  /** The most frequent first. */
  readonly violations: readonly CountedViolation[];
}

interface RulesToCheck {
  readonly fields: readonly FieldRule[];
  readonly unknownFields: UnknownFields;
}

export type RuleCheck = (who: Principal, formId: string, rules: RulesToCheck) => Promise<RuleCheckResult>;

/** Visitors choose the names of fields without a rule, so the list is bounded, and so is what is counted for it. */
const maxViolations = 200;
const maxCounted = 10_000;

export const createRuleCheck =
  ({ store, forms }: { store: Store; forms: FormService }): RuleCheck =>
  async (who, formId, { fields, unknownFields }) => {
    const { form } = await forms.get(who, formId);
    refuseBadRules(fields);
    const rules = compileRules(fields, unknownFields);
    const newest = await newestSubmissions(store, form.id);
    const counted = new Map<string, CountedViolation>();
    const pace = createPace();
    let valid = 0;
    for (const { id, data, files } of newest) {
      if (pace.isOver()) await pace.rest();
      const violations = rules?.judge(valuesOf({ json: data, values: null }), files) ?? [];
      if (violations.length === 0) valid += 1;
      for (const { field, code } of violations) {
        const key = `${code} ${field}`;
        const before = counted.get(key) ?? { field, code, count: 0, submissionId: id };
        if (before.count > 0 || counted.size < maxCounted)
          counted.set(key, { ...before, count: before.count + 1 });
      }
    }
    const violations = [...counted.values()].sort((a, b) => b.count - a.count);
    return { checked: newest.length, valid, violations: violations.slice(0, maxViolations) };
  };
