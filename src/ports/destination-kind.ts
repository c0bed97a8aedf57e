/**
 * A kind of destination: how a submission becomes a message for it, and how one attempt sends that message.
 *
 * The contract, which `test/contracts/destination-kind.ts` runs against every kind:
 * - `prepare` is pure and takes no longer for a hostile submission than for a large one. What it returns is stored with the
 *   submission, and every attempt sends it unchanged.
 * - Nothing that a visitor wrote becomes a mention, markup, a link, a formula or a header.
 * - `send` resolves in time, whatever the other side does; it rejects only for internal errors.
 * - No address, error, response or request that it returns contains a secret of the destination.
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
  /** The parsed fields of the submission, in their order. */
  fields(): Readonly<Record<string, unknown>>;
  /** The page of the submission in the dashboard. */
  readonly link: string;
  /** Anyone with this link can download the file. */
  fileLink(fileId: string): string;
  /**
   * The destination's template filled in, with every value that a visitor wrote passed through `encode`; null when it has
   * none. The length is limited.
   */
  renderText(encode: (value: string) => string): string | null;
  /** The same for a template that is a JSON document. */
  renderJson(): string | null;
  /** For what all destinations of a kind without a template share: made for the first, reused for the others. */
  once(name: string, make: () => string): string;
}

export interface Prepared {
  /** Where it is sent, as its owner sees it; without secrets. */
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
  /** Signs alongside the new one until it expires. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
}

/** What was sent, with secrets masked. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendResult extends Exchange {
  readonly end: AttemptEnd;
  /** How long the other side asked us to wait; null when it did not. */
  readonly retryAfterMs: number | null;
  /** There was no response in time, or none at all: the other side may be hanging. */
  readonly isUnresponsive: boolean;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** Shown to users who test a destination. */
  request(): SentRequest;
  /** What is recorded with the attempt, given the body that is already stored; null when there is no request to show. */
  recorded(stored: string): AttemptRequest | null;
}

export interface DestinationKind<Kind extends KindName> {
  /** The group that shares connections and limits: an origin, or a service. */
  originOf(destination: DestinationOf<Kind>): string;
  /** One for each address. */
  prepare(event: SubmissionEvent, destination: DestinationOf<Kind>): readonly Prepared[];
  send(message: Message, destination: DestinationOf<Kind>, signing: SigningSecrets): Promise<SendResult>;
}

export type DestinationKinds = { readonly [Kind in KindName]: DestinationKind<Kind> };

/** The cast is safe: a kind only ever gets destinations of its own kind. */
export const kindOf = (kinds: DestinationKinds, { kind }: Destination): DestinationKind<KindName> =>
  kinds[kind] as DestinationKind<KindName>;
