/** The format, coding, declared size and Idempotency-Key of a submission, from its head. Checked once, before a byte is read. */
import type { IncomingMessage } from 'node:http';
import { Refusal, refuse } from '../../model/errors.js';
import { parseContentType, type SubmissionContentType } from './body/content-type.js';
import type { BodyLimits } from './body/limits.js';

export interface SubmissionHead {
  readonly type: SubmissionContentType;
  readonly idempotencyKey: string | null;
}

const idempotencyKeyShape = /^[\x21-\x7e]{1,255}$/;

export function checkHead({ headers }: IncomingMessage, limits: BodyLimits): SubmissionHead | Refusal {
  const type = parseContentType(headers['content-type'], limits);
  if (type instanceof Refusal) return type;
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    return refuse.invalidSubmission(
      'Compressed bodies are not accepted; send the body without Content-Encoding',
      'content_encoding_not_supported',
    );
  }
  const key = headers['idempotency-key'] ?? null;
  if (key !== null && (typeof key !== 'string' || !idempotencyKeyShape.test(key))) {
    return refuse.invalidSubmission(
      'Idempotency-Key must be 1 to 255 printable ASCII characters without blanks',
      'invalid_idempotency_key',
    );
  }
  const limit = type.kind === 'multipart' ? limits.maxBodyBytes : limits.maxTextBytes;
  if (Number(headers['content-length'] ?? 0) > limit) return refuse.tooManyBytes('body', limit);
  return { type, idempotencyKey: key };
}
