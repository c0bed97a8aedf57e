/**
 * Decides about a submission whose body has been read: plan, idempotency, maximum, honeypot, rules, CAPTCHA, then the commit.
 * All or nothing: whatever is not committed leaves no row and no file. Success is returned only after everything it
 * promises is durable.
 */
import { Readable } from 'node:stream';
import type { Clock } from '../../kernel/clock.js';
import { Locks } from '../../kernel/concurrency.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { type Refusal, refuse } from '../../model/errors.js';
import {
  captchaTokenFields,
  controlOf,
  controlText,
  honeypotFields,
  type SubmittedFields,
  valuesOf,
} from '../../model/fields.js';
import type { Form } from '../../model/form.js';
import { plans } from '../../model/plans.js';
import type { Quarantined } from '../../model/quarantine.js';
import { type IdempotentResult, idempotencyLifetimeMs } from '../../model/submission.js';
import type { CaptchaVerifier } from '../../ports/captcha.js';
import type { Signals } from '../../ports/signals.js';
import { type Store, StoreConflict, StoreFull } from '../../ports/store.js';
import type { FieldLearner } from '../fields/learner.js';
import { type Rules, withoutUnknown } from '../fields/rules.js';
import type { IncomingFile, StagedFile, Staging } from '../files/staging.js';
import { addressViolation } from '../opt-in/address.js';
import type { Planning } from '../planning/plan.js';
import type { Visit } from './admission.js';
import { announce } from './announce.js';
import { BatcherFull, type CommitBatcher } from './commit-batcher.js';
import { allowedCopies, namedPage } from './controls.js';
import { createFullForms } from './full-forms.js';
import type { CompiledForm } from './intake-forms.js';
import { planSubmission, type SubmissionContent } from './plan.js';

export interface Arrival {
  readonly target: CompiledForm;
  readonly visit: Visit;
  readonly fields: SubmittedFields;
  readonly files: readonly StagedFile[];
  readonly idempotencyKey: string | null;
}

/** A file as the response to the submission lists it. */
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
  /** Gets the same response as all others, but is in quarantine: a bot filled in a field that people do not see. */
  readonly isHeld: boolean;
  /** The result of an earlier request with the same key. */
  readonly isRepeated: boolean;
}

export type Outcome = Accepted | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A submission as it was read. A file is null when its bytes were dropped. */
export interface Received extends Omit<Arrival, 'files'> {
  readonly files: readonly (StagedFile | null)[];
}

export interface Intake {
  /**
   * Where the files of a body go. A plan without uploads drops their bytes, so that limits and the honeypot still decide first.
   * `target` is null when the form is not known yet.
   */
  sinkFor(target: CompiledForm | null): FileSink;
  accept(received: Received): Promise<Outcome>;
}

export interface FileSink {
  stage(file: IncomingFile): Promise<StagedFile | null>;
  discard(staged: readonly (StagedFile | null)[]): Promise<void>;
}

const takesUploads = ({ plan }: CompiledForm): boolean => plans[plan].fileUploads;

const isStaged = (file: StagedFile | null): file is StagedFile => file !== null;

const dropping: FileSink = {
  async stage({ content }) {
    if (content instanceof Readable) for await (const _ of content);
    return null;
  },
  async discard() {},
};

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
  // A bot's response must never be replayed to a person who sends the same without the honeypot field.
  return sha256Hex(JSON.stringify(trap === null ? [fields.json, parts] : [fields.json, parts, trap]));
}

/** Returns the name of the honeypot that was filled in, with text or with a file. */
const trapOf = ({ fields: { reserved }, files }: Pick<Arrival, 'fields' | 'files'>): string | null =>
  reserved.size === 0 && files.length === 0
    ? null
    : (honeypotFields.find(
        (name) => reserved.has(name) || files.some(({ fieldName }) => fieldName === name),
      ) ?? null);

export function createIntake(deps: {
  store: Store;
  staging: Staging;
  batcher: CommitBatcher;
  captcha: CaptchaVerifier;
  signals: Signals;
  clock: Clock;
  upgradeUrl: string;
  planning: Planning;
  learner: FieldLearner;
}): Intake {
  const { store, staging, batcher, captcha, signals, clock, learner } = deps;
  const locks = new Locks();
  const full = createFullForms(clock);
  const keeping: FileSink = {
    stage: (file) => staging.stage(file),
    discard: (staged) => staging.discard(staged.filter(isStaged)),
  };

  /** Returns null when the CAPTCHA was passed. */
  const judgeCaptcha = async ({ target: { form }, visit, fields }: Arrival): Promise<Refusal | null> => {
    const token = firstValue(fields, captchaTokenFields);
    if (token === null) return refuse.captchaFailed('no token');
    const verdict = await captcha.verify({
      provider: form.captchaProvider,
      siteKey: form.captchaSiteKey,
      secretKey: form.captchaSecretKey,
      token,
      remoteIp: form.storeIp ? visit.ip : null,
      formId: form.id,
    });
    if (verdict === 'passed') return null;
    return verdict === 'failed'
      ? refuse.captchaFailed(`a token that ${form.captchaProvider} does not accept`)
      : refuse.captchaUnavailable();
  };

  /** Returns the result of the first request with this key, or null when there was none. */
  const replay = async (arrival: Arrival, key: string, hash: string): Promise<Outcome | null> => {
    const formId = arrival.target.form.id;
    // The honeypot is part of the compared hash: if the hashes match, both requests filled it in, or neither did.
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
    const { target, files } = arrival;
    const planned = planSubmission(target, contentOf(arrival), { now, planning: deps.planning });
    const { submission } = planned;
    const idempotency = remembered(arrival, hash, submission.id, now);
    let entry = planned;
    try {
      const isKnown = learner.knowsAll(submission, valuesOf(arrival.fields), files);
      const fields = isKnown ? [] : await learner.newIn(submission, files);
      const maxSubmissions = maximumFor(target.form, planned.optIn !== null);
      // Few have a key, a new field or a maximum: the others need no copy.
      if (idempotency || fields.length > 0 || maxSubmissions !== null)
        entry = { ...planned, fields, maxSubmissions, idempotency };
      await batcher.commit(entry);
      learner.stored(submission.formId, fields);
    } catch (error) {
      return settleRefused(arrival, hash, error);
    }
    if (entry.deliveries.length > 0) {
      signals.publish({ kind: 'deliveries-ready', lanes: entry.deliveries.map(({ lane }) => lane) });
    }
    if (entry.optIn === null) announce(signals, target.accountId, entry.submission);
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
   * A bot gets the response of a success, after the same work: read, checked and synced like all others. Shape, headers and
   * timing must not reveal that it was detected.
   */
  const hold = async (arrival: Arrival, field: string, hash: string | null): Promise<Outcome> => {
    const now = clock.now();
    const { target, files } = arrival;
    // Planned like all others, also because ids are sequential: drawing fewer of them would reveal the detection.
    const { submission } = planSubmission(target, contentOf(arrival), { now, planning: deps.planning });
    const quarantined: Quarantined = { ...submission, field, filesDropped: files.length };
    try {
      await batcher.commit({ quarantined, idempotency: remembered(arrival, hash, quarantined.id, now) });
    } catch (error) {
      return settleRefused(arrival, hash, error);
    }
    // Not awaited: other submissions do not remove files before their response. A crash leaves orphans, which upkeep sweeps.
    staging.discard(files).catch(() => {});
    return {
      kind: 'accepted',
      submissionId: quarantined.id,
      files: answerFiles(files),
      isHeld: true,
      isRepeated: false,
    };
  };

  /** Handles what the batcher did not commit: discards the files if nothing was written, and rethrows unexpected errors. */
  const settleRefused = async (arrival: Arrival, hash: string | null, error: unknown): Promise<Outcome> => {
    if (error instanceof BatcherFull) return refused(arrival, refuse.busy());
    if (error instanceof StoreFull) await staging.discard(arrival.files);
    if (!(error instanceof StoreConflict)) {
      // Unless the store is full, it may have been written, so its files stay. If it was not, upkeep sweeps them as orphans.
      throw error;
    }
    if (error.rule === 'reference') return refused(arrival, refuse.formNotFound());
    if (error.rule === 'limit') {
      full.note(arrival.target.form.id);
      return refused(arrival, refuse.formFull());
    }
    // Another process committed a request with the same key: that is the first result.
    await staging.discard(arrival.files);
    const { idempotencyKey } = arrival;
    const first = idempotencyKey && hash ? await replay(arrival, idempotencyKey, hash) : null;
    if (!first) throw error;
    return first;
  };

  const acceptOnce = async (arrival: Arrival, key: string): Promise<Outcome> => {
    const hash = bodyHash(arrival.fields, arrival.files);
    // Before the CAPTCHA: its token is valid once, and a repeated request repeats the token.
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
      // Nothing refers to the files yet.
      await staging.discard(arrival.files);
      throw error;
    }
    return refusal ? refused(arrival, refusal) : commit(arrival, hash);
  };

  const acceptValid = (arrival: Arrival, hash: string | null): Promise<Outcome> => {
    const { form } = arrival.target;
    const violation = form.doubleOptIn === null ? null : addressViolation(form, arrival.fields.json);
    if (violation !== null) return refused(arrival, refuse.invalidFields([violation]));
    return form.captchaEnabled ? acceptChallenged(arrival, hash) : commit(arrival, hash);
  };

  const acceptByRules = (arrival: Arrival, rules: Rules, hash: string | null): Promise<Outcome> => {
    const violations = rules.judge(valuesOf(arrival.fields), arrival.files);
    if (violations.length > 0) return refused(arrival, refuse.invalidFields(violations));
    return rules.dropsUnknown ? acceptKnown(arrival, rules, hash) : acceptValid(arrival, hash);
  };

  /** Accepts it without the fields that have no rule. */
  const acceptKnown = async (arrival: Arrival, rules: Rules, hash: string | null): Promise<Outcome> => {
    const { fields, files } = arrival;
    await staging.discard(files.filter(({ fieldName }) => !rules.has(fieldName)));
    const known: Arrival = {
      ...arrival,
      fields: { ...fields, json: withoutUnknown(rules, fields.json), values: null },
      files: files.filter(({ fieldName }) => rules.has(fieldName)),
    };
    return acceptValid(known, hash);
  };

  const acceptNew = (arrival: Arrival, hash: string | null): Promise<Outcome> => {
    if (full.has(arrival.target.form.id)) return refused(arrival, refuse.formFull());
    const trap = trapOf(arrival);
    if (trap !== null) return hold(arrival, trap, hash);
    const { rules } = arrival.target;
    return rules === null ? acceptValid(arrival, hash) : acceptByRules(arrival, rules, hash);
  };

  return {
    sinkFor: (target) => (target === null || takesUploads(target) ? keeping : dropping),
    accept(received) {
      const { target, visit, fields, idempotencyKey } = received;
      // Lists every property: a spread gives each object its own hidden class.
      const arrival: Arrival = {
        target,
        visit,
        fields,
        files: received.files.filter(isStaged),
        idempotencyKey,
      };
      const isDropped = arrival.files.length < received.files.length;
      if ((isDropped || (arrival.files.length > 0 && !takesUploads(target))) && trapOf(arrival) === null)
        return refused(arrival, refuse.uploadsNeedPlan(deps.upgradeUrl));
      if (idempotencyKey === null) return acceptNew(arrival, null);
      // One at a time: two with the same key in one batch would make the whole batch fail and commit one by one.
      const lock = `${target.form.id} ${idempotencyKey}`;
      return locks.take(lock, () => acceptOnce(arrival, idempotencyKey));
    },
  };
}

/** Browsers send `null` for pages without an origin, such as one opened from disk. */
const originOf = ({ origin = '' }: Visit): string => (origin === 'null' ? '' : origin);

/** Unconfirmed submissions do not count, but a full form accepts no more of them either. */
const maximumFor = ({ maxSubmissions }: Form, isUnconfirmed: boolean): number | null =>
  maxSubmissions !== null && isUnconfirmed ? maxSubmissions - 1 : maxSubmissions;

/** What is stored of a submission, also in quarantine. */
const contentOf = ({ target: { form }, visit, fields, files }: Arrival): SubmissionContent => ({
  data: fields.json,
  metadata: {
    ip: form.storeIp ? visit.ip : '',
    userAgent: (form.storeUserAgent && visit.userAgent) || '',
    submittedFrom: namedPage(controlOf(fields.reserved, 'page'), visit) ?? visit.referer ?? originOf(visit),
    controlFields: controlText(fields.reserved),
  },
  files,
  copies: allowedCopies(controlOf(fields.reserved, 'cc'), form.allowedCcEmails),
  acceptLanguage: visit.acceptLanguage,
});

/** The result that a later request with the same key gets. */
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
