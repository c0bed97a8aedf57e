/**
 * How the pages of another form service talk to it. A request that carries an explicit sign of such a service is read and answered
 * the way its clients expect; all others never meet this folder. What they share is Inlet's own way, `ours`; each service states
 * what is different.
 */
import type { AcceptedFile } from '../../../domain/submissions/intake.js';
import type { Refusal } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';

export interface AcceptedSubmission {
  readonly submissionId: string;
  readonly files: readonly AcceptedFile[];
  /** The data that was stored: the text of a JSON object. */
  readonly data: string;
  /** The page that comes next. */
  readonly next: string;
}

type Body = Readonly<Record<string, unknown>>;

export interface Dialect {
  readonly name: string;
  /** Fields that steer the service, under the name that Inlet knows them by; in other requests they are data. */
  steers(name: string): string | null;
  /** The fields as Inlet stores them. */
  rewrite(fields: SubmittedFields): SubmittedFields;
  /** What the service would not accept; null: nothing. */
  check(fields: SubmittedFields, files: number): Refusal | null;
  accepted(submission: AcceptedSubmission): Body;
  /** `problem` is Inlet's own body. */
  refused(refusal: Refusal, status: number, problem: Body): Body;
}

export const ours: Dialect = {
  name: 'inlet',
  steers: () => null,
  rewrite: (fields) => fields,
  check: () => null,
  accepted: ({ submissionId, files }) => ({ success: true, submission_id: submissionId, files }),
  refused: (_, __, problem) => problem,
};

/** For `steers`: names that stay what they are, and names that Inlet knows by another. */
export const steering = (names: readonly string[], renamed: Readonly<Record<string, string>> = {}) => {
  const known = new Map([...names.map((name) => [name, name] as const), ...Object.entries(renamed)]);
  return (name: string): string | null => known.get(name) ?? null;
};
