/**
 * Formspree: `@formspree/core`, `react` and `ajax` identify themselves in a header. They treat any response with a text `next` as a
 * success, whatever its status, and any `error` or `errors` as a failure.
 */
import { isPlainAddress } from '../../../kernel/email-address.js';
import { membersOf } from '../../../kernel/json-outline.js';
import type { ErrorCode } from '../../../model/error-catalogue.js';
import { type Fault, type Refusal, refuse } from '../../../model/errors.js';
import { textOf } from '../body/read-json.js';
import { type Dialect, ours } from './dialect.js';

/** Codes that the clients know; for any other error they show the message. */
const codes: Readonly<Partial<Record<ErrorCode, string>>> = {
  form_not_found: 'FORM_NOT_FOUND',
  form_inactive: 'INACTIVE',
  form_closed: 'INACTIVE',
  ip_blocked: 'BLOCKED',
  origin_not_allowed: 'BLOCKED',
  origin_hidden: 'BLOCKED',
  captcha_failed: 'BLOCKED',
  submission_empty: 'EMPTY',
  invalid_email: 'TYPE_EMAIL',
  body_too_large: 'FILES_TOO_BIG',
  file_too_large: 'FILES_TOO_BIG',
  too_many_files: 'TOO_MANY_FILES',
  file_uploads_not_in_plan: 'NO_FILE_UPLOADS',
};

const isFaultList = (details: unknown): details is readonly Fault[] => Array.isArray(details);

function errorsOf(refusal: Refusal): readonly object[] {
  const code = codes[refusal.code];
  const { details } = refusal.extra;
  if (!isFaultList(details)) return [{ message: refusal.message, ...(code && { code }) }];
  return details.map(({ path, message }) => ({ field: path, message, ...(code && { code }) }));
}

/** Formspree treats a field with this name as an e-mail address. */
const isEmailField = (name: string): boolean => name.toLowerCase() === 'email';

export const formspree: Dialect = {
  ...ours,
  name: 'formspree',
  check({ json, reserved }, files) {
    const faults: Fault[] = [];
    let members = 0;
    for (const { name, value } of membersOf(json)) {
      members += 1;
      const text = isEmailField(name) ? textOf(value) : null;
      if (text !== null && !isPlainAddress(text.trim()))
        faults.push({ path: name, message: 'should be an email' });
    }
    // A bot that filled in the honeypot must not learn that anything is missing.
    if (members === 0 && files === 0 && reserved.size === 0) return refuse.submissionEmpty();
    return faults.length === 0 ? null : refuse.invalidEmail(faults);
  },
  accepted: (submission) => ({ ok: true, next: submission.next, ...ours.accepted(submission) }),
  refused: (refusal, _, problem) => ({ ...problem, errors: errorsOf(refusal) }),
};
