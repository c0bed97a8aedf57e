/**
 * The decision about a submission whose body has been read: honeypot, plan, CAPTCHA, idempotency, then the commit.
 * All or nothing: whatever is not committed leaves no row and no file. Success is returned only after everything it
 * promises is durable.
 */
import type { Clock } from '../../kernel/clock.js';
import { Turns } from '../../kernel/concurrency.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { type Refusal, refuse } from '../../model/errors.js';
import { captchaTokenFields, honeypotFields, type SubmittedFields } from '../../model/fields.js';
import type { Quarantined } from '../../model/quarantine.js';
import {
  type IdempotentResult,
  idempotencyLifetimeMs,
  type SubmissionMetadata,
} from '../../model/submission.js';
import type { CaptchaVerifier } from '../../ports/captcha.js';
import type { Signals } from '../../ports/signals.js';
import { type Store, StoreConflict, StoreFull } from '../../ports/store.js';
import type { StagedFile, Staging } from '../files/staging.js';
import type { Visit } from './admission.js';
import { announce } from './announce.js';
import { type CommitLane, LaneFull } from './commit-lane.js';
import type { CompiledForm } from './intake-forms.js';
import { planSubmission } from './plan.js';

export interface Arrival {
  readonly target: CompiledForm;
  readonly visit: Visit;
  readonly fields: SubmittedFields;
  readonly files: readonly StagedFile[];
  /** Files came although the plan has none; their bytes were not kept. */
  readonly filesWithoutPlan: boolean;
  readonly idempotencyKey: string | null;
}

/** A file as the submission's answer names it. */
export interface AcceptedFile {
  readonly id: string;
  readonly filename: string;
  readonly type: string;
  readonly size: number;
}

export interface Accepted {
  readonly kind: 'accepted';
  readonly submissionId: string;
  readonly files: readonly AcceptedFile[];
  /** Answered like all others, but it is in quarantine: a robot filled in a field that people do not see. */
  readonly isHeld: boolean;
  /** The answer of an earlier request with the same key. */
  readonly isRepeated: boolean;
}

export type Outcome = Accepted | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface Intake {
  accept(arrival: Arrival): Promise<Outcome>;
}

const firstValue = (fields: SubmittedFields, names: readonly string[]): string | null => {
  if (fields.reserved.size === 0) return null;
  for (const name of names) {
    const value = fields.reserved.get(name);
    if (value !== undefined) return value;
  }
  return null;
};

const answerFiles = (files: readonly StagedFile[]): readonly AcceptedFile[] =>
  files.map((file) => ({ id: file.id, filename: file.filename, type: file.mimeType, size: file.sizeBytes }));

/** What makes two bodies the same: fields and file contents, not boundaries or chunks. */
function bodyHash(fields: SubmittedFields, files: readonly StagedFile[]): string {
  const parts = files.map((file) => [file.fieldName, file.filename, file.sha256]);
  const trap = firstValue(fields, honeypotFields);
  // The answer to a robot must never become the answer to the person who sends the same without the trap's field.
  return sha256Hex(JSON.stringify(trap === null ? [fields.json, parts] : [fields.json, parts, trap]));
}

/** The name of the honeypot that was filled in, with a text or with a file. */
const trapOf = ({ fields: { reserved }, files }: Pick<Arrival, 'fields' | 'files'>): string | null =>
  reserved.size === 0 && files.length === 0
    ? null
    : (honeypotFields.find(
        (name) => reserved.has(name) || files.some(({ fieldName }) => fieldName === name),
      ) ?? null);

export function createIntake(deps: {
  store: Store;
  staging: Staging;
  lane: CommitLane;
  captcha: CaptchaVerifier;
  signals: Signals;
  clock: Clock;
  upgradeUrl: string;
  /** Without a mail server nothing is queued: setting one up must not send the mails of the past. */
  sendsMail: boolean;
}): Intake {
  const { store, staging, lane, captcha, signals, clock } = deps;
  const turns = new Turns();

  /** null: nothing speaks against it. */
  const judgeCaptcha = async ({ target: { form }, visit, fields }: Arrival): Promise<Refusal | null> => {
    const token = firstValue(fields, captchaTokenFields);
    if (token === null) return refuse.captchaFailed('no token');
    const verdict = await captcha.verify({
      provider: form.captchaProvider,
      siteKey: form.captchaSiteKey,
      secretKey: form.captchaSecretKey,
      token,
      remoteIp: visit.ip,
      formId: form.id,
    });
    if (verdict === 'passed') return null;
    return verdict === 'failed'
      ? refuse.captchaFailed(`a token that ${form.captchaProvider} does not accept`)
      : refuse.captchaUnavailable();
  };

  /** The answer of the first request with this key, if there was one. */
  const replay = async (arrival: Arrival, key: string, hash: string): Promise<Outcome | null> => {
    const formId = arrival.target.form.id;
    // The trap is part of what is compared, so the first request fell into it as well, or did not either.
    const isHeld = trapOf(arrival) !== null;
    const known = await store.submissions.findIdempotent(formId, key);
    if (!known) return null;
    const now = clock.now();
    if (known.expiresAt <= now) {
      await store.submissions.dropExpiredIdempotent(formId, key, now);
      return null;
    }
    if (known.bodyHash !== hash) return { kind: 'refused', refusal: refuse.idempotencyConflict() };
    return {
      kind: 'accepted',
      submissionId: known.submissionId,
      files: JSON.parse(known.files) as AcceptedFile[],
      isHeld,
      isRepeated: true,
    };
  };

  const refused = async (arrival: Arrival, refusal: Refusal): Promise<Outcome> => {
    await staging.discard(arrival.files);
    return { kind: 'refused', refusal };
  };

  const commit = async (arrival: Arrival, hash: string | null): Promise<Outcome> => {
    const now = clock.now();
    const { target, visit, fields, files } = arrival;
    const content = { data: fields.json, metadata: metadataOf(visit), files };
    const planned = planSubmission(target, content, { now, sendsMail: deps.sendsMail });
    const idempotency = remembered(arrival, hash, planned.submission.id, now);
    // Few come with a key: the others need no copy.
    const entry = idempotency ? { ...planned, idempotency } : planned;
    try {
      await lane.commit(entry);
    } catch (error) {
      return settleRefused(arrival, hash, error);
    }
    if (entry.deliveries.length > 0) {
      signals.publish({ kind: 'deliveries-ready', urls: entry.deliveries.map((delivery) => delivery.url) });
    }
    if (entry.mails.length > 0) signals.publish({ kind: 'mails-ready' });
    announce(signals, target.accountId, entry.submission);
    const { id } = entry.submission;
    return {
      kind: 'accepted',
      submissionId: id,
      files: answerFiles(files),
      isHeld: false,
      isRepeated: false,
    };
  };

  /**
   * A robot gets the answer of a success, after the same work: read, checked and synced like all others. It must not learn
   * from shape, headers or pace that it was seen.
   */
  const hold = async (arrival: Arrival, field: string, hash: string | null): Promise<Outcome> => {
    const now = clock.now();
    const { target, visit, fields, files } = arrival;
    const content = { data: fields.json, metadata: metadataOf(visit), files };
    // Planned like all others, also for its ids: they follow each other, and one that draws fewer of them can be told.
    const { submission } = planSubmission(target, content, { now, sendsMail: deps.sendsMail });
    const quarantined: Quarantined = { ...submission, field, filesDropped: files.length };
    try {
      await lane.commit({ quarantined, idempotency: remembered(arrival, hash, quarantined.id, now) });
    } catch (error) {
      return settleRefused(arrival, hash, error);
    }
    // Not waited for: nobody else's files are removed before the answer. What stays after a crash is swept as an orphan.
    staging.discard(files).catch(() => {});
    return {
      kind: 'accepted',
      submissionId: quarantined.id,
      files: answerFiles(files),
      isHeld: true,
      isRepeated: false,
    };
  };

  /** What the lane did not take. Where nothing was written, nothing is left; else the fault goes on. */
  const settleRefused = async (arrival: Arrival, hash: string | null, error: unknown): Promise<Outcome> => {
    if (error instanceof LaneFull) return refused(arrival, refuse.busy());
    if (error instanceof StoreFull) await staging.discard(arrival.files);
    if (!(error instanceof StoreConflict)) {
      // Whether it was written is not known, so its files stay: if it was not, upkeep sweeps them as orphans.
      throw error;
    }
    if (error.rule === 'reference') return refused(arrival, refuse.formNotFound());
    // Another process took a request with the same key; theirs is the first result.
    await staging.discard(arrival.files);
    const { idempotencyKey } = arrival;
    const first = idempotencyKey && hash ? await replay(arrival, idempotencyKey, hash) : null;
    if (!first) throw error;
    return first;
  };

  const acceptOnce = async (arrival: Arrival, key: string): Promise<Outcome> => {
    const hash = bodyHash(arrival.fields, arrival.files);
    // Before the CAPTCHA: its token is good once, and who repeats a request repeats the token.
    const first = await replay(arrival, key, hash);
    if (!first) return await acceptNew(arrival, hash);
    await staging.discard(arrival.files);
    return first;
  };

  const acceptChallenged = async (arrival: Arrival, hash: string | null): Promise<Outcome> => {
    let refusal: Refusal | null;
    try {
      refusal = await judgeCaptcha(arrival);
    } catch (error) {
      // Nothing refers to them yet.
      await staging.discard(arrival.files);
      throw error;
    }
    return refusal ? refused(arrival, refusal) : commit(arrival, hash);
  };

  const acceptNew = (arrival: Arrival, hash: string | null): Promise<Outcome> => {
    const trap = trapOf(arrival);
    if (trap !== null) return hold(arrival, trap, hash);
    return arrival.target.form.captchaEnabled ? acceptChallenged(arrival, hash) : commit(arrival, hash);
  };

  return {
    accept(arrival) {
      const { target, idempotencyKey } = arrival;
      if (arrival.filesWithoutPlan && trapOf(arrival) === null)
        return refused(arrival, refuse.uploadsNeedPlan(deps.upgradeUrl));
      if (idempotencyKey === null) return acceptNew(arrival, null);
      // In turns: two with the same key in one batch would make the whole batch fail and commit one by one.
      const turn = `${target.form.id} ${idempotencyKey}`;
      return turns.take(turn, () => acceptOnce(arrival, idempotencyKey));
    },
  };
}

/** Browsers say `null` for pages without an origin, such as one opened from disk; that is no address. */
const originOf = ({ origin = '' }: Visit): string => (origin === 'null' ? '' : origin);

const metadataOf = (visit: Visit): SubmissionMetadata => ({
  ip: visit.ip,
  userAgent: visit.userAgent ?? '',
  submittedFrom: visit.referer ?? originOf(visit),
});

/** What a later request with the same key is answered. */
const remembered = (
  { target, files, idempotencyKey }: Arrival,
  hash: string | null,
  submissionId: string,
  now: number,
): IdempotentResult | null =>
  idempotencyKey === null || hash === null
    ? null
    : {
        formId: target.form.id,
        key: idempotencyKey,
        bodyHash: hash,
        submissionId,
        files: JSON.stringify(answerFiles(files)),
        expiresAt: now + idempotencyLifetimeMs,
      };
