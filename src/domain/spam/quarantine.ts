/**
 * The quarantine, for its owner: what bots sent, for thirty days. A release turns an entry into a new submission, with everything
 * that a submission triggers, and removes it, in one transaction: two concurrent releases make one submission.
 */
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { webhookStateOf } from '../../model/delivery.js';
import { Refusal, refuse } from '../../model/errors.js';
import { controlOf, controlsIn } from '../../model/fields.js';
import { allSeen } from '../../model/observed-field.js';
import type { Quarantined } from '../../model/quarantine.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { AuditRecorder } from '../../ports/audit.js';
import type { Signals } from '../../ports/signals.js';
import type { Page, Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { AuditTrail } from '../audit/trail.js';
import type { FormService } from '../forms/service.js';
import { addressViolation } from '../opt-in/address.js';
import { type Planning, routesOf } from '../planning/plan.js';
import { announce } from '../submissions/announce.js';
import { allowedCopies } from '../submissions/controls.js';
import { planSubmission } from '../submissions/plan.js';

export interface QuarantinePage {
  readonly items: readonly Quarantined[];
  readonly next: string | null;
}

export interface QuarantineService {
  list(who: Principal, page: Page): Promise<QuarantinePage>;
  listByForm(who: Principal, formId: string, page: Page): Promise<QuarantinePage>;
  release(who: Principal, id: string): Promise<SubmissionWithFiles>;
  /** Releases each one separately. Skips those that no longer exist or have no address to confirm. */
  releaseSome(who: Principal, ids: readonly string[]): Promise<readonly Released[]>;
  delete(who: Principal, id: string): Promise<void>;
  deleteSome(who: Principal, ids: readonly string[]): Promise<number>;
  /** Deletes what is there now, of one form or, with null, of the account. Deletes a limited number per call. */
  empty(
    who: Principal,
    formId: string | null,
  ): Promise<{ readonly deleted: number; readonly isEmpty: boolean }>;
}

export interface Released {
  readonly id: string;
  readonly submissionId: string;
}

/** Per request. */
const mostEmptied = 10_000;
/** Per statement: commits wait behind it. */
const perDelete = 500;

/** An entry without an address to confirm stays in quarantine. */
const leftOut = (error: unknown): null => {
  if (error instanceof Refusal && error.code === 'invalid_fields') return null;
  throw error;
};

const known = (ids: readonly string[]): readonly string[] => [...new Set(ids.filter(isUuid))];

const recordDeleted = (tx: AuditRecorder, who: Principal, id: string | null, deleted: number): void =>
  record(tx, who, { action: 'quarantine.deleted', object: { kind: 'quarantine', id }, after: { deleted } });

export function createQuarantineService(deps: {
  store: Store;
  forms: FormService;
  signals: Signals;
  clock: Clock;
  planning: Planning;
  trail: AuditTrail;
}): QuarantineService {
  const { store, forms, signals, clock, planning, trail } = deps;

  const get = async (who: Principal, id: string): Promise<Quarantined> => {
    const held = isUuid(id) ? await store.quarantine.find(who, id) : null;
    if (!held) throw refuse.quarantinedNotFound();
    return held;
  };

  /** Returns null when another request was faster. */
  const release = async (who: Principal, held: Quarantined): Promise<SubmissionWithFiles | null> => {
    const { form } = await forms.get(who, held.formId);
    const target = await store.forms.findForIntake(form.publicId);
    if (!target) throw refuse.formNotFound();
    const asked = controlOf(controlsIn(held.metadata.controlFields), 'cc');
    const copies = allowedCopies(asked, form.allowedCcEmails);
    const violation = addressViolation(form, held.data);
    if (violation !== null) throw refuse.invalidFields([violation]);
    const acceptLanguage = undefined;
    const content = { data: held.data, metadata: held.metadata, files: [], copies, acceptLanguage };
    const routes = routesOf(target, target.destinations);
    const planned = planSubmission({ ...target, routes }, content, { now: clock.now(), planning });
    const entry = { ...planned, fields: allSeen(planned.submission, []) };
    const isOurs = await store.tx(async (tx) => {
      const isRemoved = await tx.quarantine.remove(held.id);
      if (!isRemoved) return false;
      await tx.submissions.create(entry);
      const object = { kind: 'submission', id: entry.submission.id };
      record(tx, who, { action: 'quarantine.released', object, after: { quarantineId: held.id } });
      return true;
    });
    if (!isOurs) return null;
    if (entry.deliveries.length > 0) {
      signals.publish({ kind: 'deliveries-ready', lanes: entry.deliveries.map(({ lane }) => lane) });
    }
    if (entry.optIn === null) announce(signals, who.accountId, entry.submission);
    const deliveryState = webhookStateOf(entry.deliveries.map(({ state }) => state));
    return { ...entry.submission, files: [], deliveryState };
  };

  return {
    async list(who, page) {
      await trail.viewed(who, 'quarantine.listed', { kind: 'account', id: who.accountId });
      return store.quarantine.list(who, null, page);
    },

    async listByForm(who, formId, page) {
      const { form } = await forms.get(who, formId);
      await trail.viewed(who, 'quarantine.listed', { kind: 'form', id: form.id, name: form.name });
      return store.quarantine.list(who, form.id, page);
    },

    async release(who, id) {
      const submission = await release(who, await get(who, id));
      if (!submission) throw refuse.quarantinedNotFound();
      return submission;
    },

    async releaseSome(who, ids) {
      const released: Released[] = [];
      for (const id of known(ids)) {
        const held = await store.quarantine.find(who, id);
        const submission = held && (await release(who, held).catch(leftOut));
        if (submission) released.push({ id, submissionId: submission.id });
      }
      return released;
    },

    async delete(who, id) {
      const held = await get(who, id);
      await store.tx(async (tx) => {
        if (await tx.quarantine.remove(held.id)) recordDeleted(tx, who, held.id, 1);
      });
    },

    deleteSome: (who, ids) =>
      store.tx(async (tx) => {
        const deleted = await tx.quarantine.removeSome(who, known(ids));
        if (deleted > 0) recordDeleted(tx, who, null, deleted);
        return deleted;
      }),

    async empty(who, formId) {
      const form = formId === null ? null : (await forms.get(who, formId)).form.id;
      // What arrives meanwhile stays: the owner has not seen it yet.
      const before = clock.now();
      let deleted = 0;
      while (deleted < mostEmptied) {
        const removed = await store.tx(async (tx) => {
          const count = await tx.quarantine.removeOldest(who, form, before, perDelete);
          if (count > 0) recordDeleted(tx, who, form, count);
          return count;
        });
        deleted += removed;
        if (removed < perDelete) return { deleted, isEmpty: true };
      }
      return { deleted, isEmpty: false };
    },
  };
}
