/**
 * A kind of destination: how a submission becomes a message there, and how one attempt to send it goes.
 *
 * The contract, which `test/contracts/destination-kind.ts` runs against every kind:
 * - `prepare` is pure and takes no longer for a hostile submission than for a large one. What it returns is stored with the
 *   submission, and every attempt sends it as it is.
 * - Nothing that a visitor wrote becomes a mention, markup, a link, a formula or a header.
 * - `send` resolves for everything that the other side can do, in the time it has; it rejects only for our own faults.
 * - No secret of the destination is in an address, an error, a response or a request that it returns.
 */
import type { KindName } from '../contract/destination.js';
import type { AttemptEnd, AttemptRequest, Delivery, Exchange } from '../model/delivery.js';
import type { Destination, DestinationOf } from '../model/destination.js';
import type { StoredFile } from '../model/file.js';
import type { Form } from '../model/form.js';
import type { Project } from '../model/project.js';
import type { Submission } from '../model/submission.js';

/** A submission as its destinations see it. */
export interface SubmissionEvent {
  readonly form: Pick<Form, 'id' | 'publicId' | 'slug' | 'name' | 'fields'>;
  readonly project: Pick<Project, 'id' | 'accountId' | 'slug' | 'name'>;
  readonly submission: Submission;
  readonly files: readonly StoredFile[];
  readonly isTest: boolean;
  /** The body of a webhook: event, form and submission as one JSON text. */
  body(): string;
  /** The fields of the submission, parsed; in their order. */
  fields(): Readonly<Record<string, unknown>>;
  /** The page of the submission in the dashboard. */
  readonly link: string;
  /** Where a file can be downloaded by who has the link. */
  fileLink(fileId: string): string;
  /**
   * The destination's template filled in, the values that a visitor wrote passed through `encode`; null: it has none.
   * At most so many characters.
   */
  renderText(encode: (value: string) => string): string | null;
  /** The same for a template that is a JSON document. */
  renderJson(): string | null;
  /** What is the same for all destinations of a kind that have no template: made by the first, kept for the others. */
  once(name: string, make: () => string): string;
}

export interface Prepared {
  /** Where it goes, as its owner sees it; without secrets. */
  readonly address: string;
  readonly body: string;
}

/** What is sent in one attempt. */
export interface Message extends Pick<Delivery, 'id' | 'submissionId' | 'url' | 'body'> {
  readonly attempt: number;
  /** An earlier attempt may have arrived without our knowing. */
  readonly isRepeated: boolean;
}

/** Signs webhooks that have no secret of their own. */
export interface SigningSecrets {
  readonly secret: string;
  /** Signs beside the new one until it expires. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
}

/** What was sent, secrets masked. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendResult extends Exchange {
  readonly end: Exclude<AttemptEnd, 'cancelled'>;
  /** The other side asked to be left alone for so long; null: it did not. */
  readonly retryAfterMs: number | null;
  /** Nobody responded in time, or at all: the other side may be hanging. */
  readonly isUnresponsive: boolean;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** For who tries a destination out. */
  request(): SentRequest;
  /** What is recorded with the attempt, given the body that is stored already; null: there is no request to show. */
  recorded(stored: string): AttemptRequest | null;
}

export interface DestinationKind<Kind extends KindName> {
  /** The group that shares connections, and is limited together: an origin, or a service. */
  originOf(destination: DestinationOf<Kind>): string;
  /** One for each address. */
  prepare(event: SubmissionEvent, destination: DestinationOf<Kind>): readonly Prepared[];
  send(message: Message, destination: DestinationOf<Kind>, signing: SigningSecrets): Promise<SendResult>;
}

export type DestinationKinds = { readonly [Kind in KindName]: DestinationKind<Kind> };

/** A kind is only ever given destinations of its own. */
export const kindOf = (kinds: DestinationKinds, { kind }: Destination): DestinationKind<KindName> =>
  kinds[kind] as DestinationKind<KindName>;
