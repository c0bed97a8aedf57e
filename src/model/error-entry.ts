/** A row of the error catalogue. It must not contain internal causes, paths or SQL: all of it is public. */

export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'unprocessable'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'rate_limited'
  | 'internal'
  | 'unavailable'
  | 'storage_full';

export interface CatalogueEntry {
  readonly kind: RefusalKind;
  /** `{limit}` is replaced by the field of that name in the body. */
  readonly text: string;
  /** When the error is returned, for the documentation. */
  readonly cause: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

export const entry = (kind: RefusalKind, text: string, cause: string, remedy: string): CatalogueEntry => ({
  kind,
  text,
  cause,
  remedy,
});
