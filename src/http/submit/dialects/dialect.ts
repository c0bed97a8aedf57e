/**
 * How pages of another form service talk to it. A request with an explicit sign of that service is read and responded to as its clients
 * expect; no other request reaches this folder. `ours` is Inlet's own behaviour. Each service defines only what differs.
 */
import type { AcceptedFile } from '../../../domain/submissions/intake.js';
import type { Refusal } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';

export interface AcceptedSubmission {
  readonly submissionId: string;
  readonly files: readonly AcceptedFile[];
  /** The stored data: the text of a JSON object. */
  readonly data: string;
  /** The URL of the next page. */
  readonly next: string;
}

type Body = Readonly<Record<string, unknown>>;

export interface Dialect {
  readonly name: string;
  /** Returns the name that Inlet uses for a field that controls the service; null: it is data. In other requests these fields are data. */
  steers(name: string): string | null;
  /** The fields as Inlet stores them. */
  rewrite(fields: SubmittedFields): SubmittedFields;
  /** Returns a refusal for what the service would not accept, or null. */
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

/** Creates a `steers` from names that stay the same, and names for which Inlet uses another. */
export const steering = (names: readonly string[], renamed: Readonly<Record<string, string>> = {}) => {
  const known = new Map([...names.map((name) => [name, name] as const), ...Object.entries(renamed)]);
  return (name: string): string | null => known.get(name) ?? null;
};
