/** Records rejections and their reasons for the owner of the form. Unknown forms have no owner, and internal errors have no reason. */
import type { IncomingMessage } from 'node:http';
import type { RejectionReason } from '../../contract/rejections.js';
import type { RateReading, Visit } from '../../domain/submissions/admission.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import { exampleOf } from '../../domain/tallies/seen.js';
import type { Tallies } from '../../domain/tallies/tallies.js';
import type { Refusal } from '../../model/errors.js';

export type RecordRejection = (
  reason: RejectionReason | undefined,
  refusal: Refusal | null,
  request: IncomingMessage,
  seen: {
    readonly target: CompiledForm | null;
    readonly visit: Visit;
    readonly rate: RateReading | null;
    readonly redirect?: string;
  },
) => void;

export const recordRejections =
  (tallies: Pick<Tallies, 'rejected'>): RecordRejection =>
  (reason, refusal, request, { target, visit, rate, redirect }) => {
    if (reason === undefined || target === null) return;
    const { 'content-type': contentType, 'content-length': contentLength } = request.headers;
    const example = exampleOf(reason, { target, visit, rate, contentType, contentLength, redirect }, refusal);
    tallies.rejected(target.form.id, reason, example);
  };
