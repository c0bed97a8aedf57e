/**
 * The decision about a submission whose body has been read: honeypot, plan, CAPTCHA, idempotency, then the commit.
 * All or nothing: whatever is not committed leaves no row and no file. Success is returned only after everything it
 * promises is durable.
 */
import type { Clock } from '../../kernel/clock.js';
import { Turns } from '../../kernel/concurrency.js';
import { newId } from '../../kernel/ids.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { type Refusal, refuse } from '../../model/errors.js';
import { captchaTokenFields, honeypotFields, type SubmittedFields } from '../../model/fields.js';
import type { StoredFile } from '../../model/file.js';
import { type IdempotentResult, idempotencyLifetimeMs, type Submission } from '../../model/submission.js';
import type { CaptchaVerifier } from '../../ports/captcha.js';
import type { Signals } from '../../ports/signals.js';
import { type NewSubmission, type Store, StoreConflict, StoreFull } from '../../ports/store.js';
import type { StagedFile, Staging } from '../files/staging.js';
import { planMails } from '../mail/plan.js';
import { planDeliveries } from '../webhooks/plan.js';
import type { Visit } from './admission.js';
import { type CommitLane, LaneFull } from './commit-lane.js';
import type { CompiledForm } from './intake-forms.js';

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
  /** Answered like all others, but nothing was kept: a robot filled in a field that people do not see. */
  readonly isDropped: boolean;
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
const bodyHash = (fields: SubmittedFields, files: readonly StagedFile[]): string =>
  sha256Hex(JSON.stringify([fields.json, files.map((file) => [file.fieldName, file.filename, file.sha256])]));

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
    if (token === null) return refuse.captchaFailed();
    const verdict = await captcha.verify({
      provider: form.captchaProvider,
      siteKey: form.captchaSiteKey,
      secretKey: form.captchaSecretKey,
      token,
      remoteIp: visit.ip,
      formId: form.id,
    });
    if (verdict === 'passed') return null;
    return verdict === 'failed' ? refuse.captchaFailed() : refuse.captchaUnavailable();
  };

  /** The answer of the first request with this key, if there was one. */
  const replay = async (formId: string, key: string, hash: string): Promise<Outcome | null> => {
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
      isDropped: false,
    };
  };

  const refused = async (arrival: Arrival, refusal: Refusal): Promise<Outcome> => {
    await staging.discard(arrival.files);
    return { kind: 'refused', refusal };
  };

  const commit = async (arrival: Arrival, hash: string | null): Promise<Outcome> => {
    const entry = compose(arrival, hash, clock.now(), deps.sendsMail);
    try {
      await lane.commit(entry);
    } catch (error) {
      return settleRefused(arrival, hash, error);
    }
    if (entry.deliveries.length > 0) {
      signals.publish({ kind: 'deliveries-ready', urls: entry.deliveries.map((delivery) => delivery.url) });
    }
    if (entry.mails.length > 0) signals.publish({ kind: 'mails-ready' });
    const { id } = entry.submission;
    return { kind: 'accepted', submissionId: id, files: answerFiles(arrival.files), isDropped: false };
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
    const { idempotencyKey, target } = arrival;
    const first = idempotencyKey && hash ? await replay(target.form.id, idempotencyKey, hash) : null;
    if (!first) throw error;
    return first;
  };

  const acceptOnce = async (arrival: Arrival, key: string): Promise<Outcome> => {
    const hash = bodyHash(arrival.fields, arrival.files);
    // Before the CAPTCHA: its token is good once, and who repeats a request repeats the token.
    const first = await replay(arrival.target.form.id, key, hash);
    if (!first) return await acceptNew(arrival, hash);
    await staging.discard(arrival.files);
    return first;
  };

  const acceptNew = async (arrival: Arrival, hash: string | null): Promise<Outcome> => {
    let refusal: Refusal | null = null;
    if (arrival.target.form.captchaEnabled) {
      try {
        refusal = await judgeCaptcha(arrival);
      } catch (error) {
        // Nothing refers to them yet.
        await staging.discard(arrival.files);
        throw error;
      }
    }
    // Awaited here: handing a promise over to the caller's takes two more turns than its value does.
    return await (refusal ? refused(arrival, refusal) : commit(arrival, hash));
  };

  return {
    async accept(arrival) {
      const { target, fields, files, idempotencyKey } = arrival;
      if (firstValue(fields, honeypotFields) !== null) {
        // Silently rejected: the answer of a success, with nothing kept.
        await staging.discard(files);
        const submissionId = newId(clock.now());
        return { kind: 'accepted', submissionId, files: answerFiles(files), isDropped: true };
      }
      if (arrival.filesWithoutPlan) return await refused(arrival, refuse.uploadsNeedPlan(deps.upgradeUrl));
      if (idempotencyKey === null) return await acceptNew(arrival, null);
      // In turns: two with the same key in one batch would make the whole batch fail and commit one by one.
      const turn = `${target.form.id} ${idempotencyKey}`;
      return await turns.take(turn, () => acceptOnce(arrival, idempotencyKey));
    },
  };
}

/** Browsers say `null` for pages without an origin, such as one opened from disk; that is no address. */
const originOf = ({ origin = '' }: Visit): string => (origin === 'null' ? '' : origin);

/** Pure: everything that one accepted request writes. */
function compose(arrival: Arrival, hash: string | null, now: number, sendsMail: boolean): NewSubmission {
  const { form, project, accountId } = arrival.target;
  const { visit } = arrival;
  const submission: Submission = {
    id: newId(now),
    formId: form.id,
    projectId: project.id,
    data: arrival.fields.json,
    metadata: {
      ip: visit.ip,
      userAgent: visit.userAgent ?? '',
      submittedFrom: visit.referer ?? originOf(visit),
    },
    createdAt: now,
  };
  const files: readonly StoredFile[] = arrival.files.map((file) => ({
    ...file,
    accountId,
    projectId: project.id,
    formId: form.id,
    submissionId: submission.id,
    uploadedAt: now,
    deletedAt: null,
  }));
  const idempotency: IdempotentResult | null =
    arrival.idempotencyKey === null || hash === null
      ? null
      : {
          formId: form.id,
          key: arrival.idempotencyKey,
          bodyHash: hash,
          submissionId: submission.id,
          files: JSON.stringify(answerFiles(arrival.files)),
          expiresAt: now + idempotencyLifetimeMs,
        };
  return {
    submission,
    files,
    deliveries: planDeliveries({ form, project, submission, files }),
    mails: sendsMail ? planMails({ form, project, submission }) : [],
    idempotency,
  };
}
