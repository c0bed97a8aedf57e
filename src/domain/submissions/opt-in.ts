/**
 * Confirming a submission: the second step of a double opt-in. `look` only reads the state of a link. `confirm` changes it once,
 * however often and from however many processes it is called.
 */

import type { Clock } from '../../kernel/clock.js';
import type { Sealer } from '../../kernel/secrets.js';
import { queues } from '../../model/delivery.js';
import { controlOf, controlsIn } from '../../model/fields.js';
import type { Form } from '../../model/form.js';
import type { OptInEvidence } from '../../model/opt-in.js';
import { wholeAccount } from '../../model/reach.js';
import type { Signals } from '../../ports/signals.js';
import { type IntakeForm, type Store, StoreConflict } from '../../ports/store.js';
import { openToken } from '../opt-in/tokens.js';
import { type Planning, planDeliveries, routesOf, sentNow } from '../planning/plan.js';
import { announce } from './announce.js';
import { allowedCopies } from './controls.js';

/** `waiting`: it can be confirmed. `full`: the form has its maximum number of submissions. */
export type OptInState = 'waiting' | 'confirmed' | 'already_confirmed' | 'expired' | 'full' | 'unknown';

export interface OptInSight {
  readonly state: OptInState;
  /** null when there is none, or the link is unknown. */
  readonly form: Form | null;
}

export interface OptInService {
  look(token: string): Promise<OptInSight>;
  confirm(token: string, visitor: Omit<OptInEvidence, 'confirmedAt'>): Promise<OptInSight>;
}

export function createOptInService(deps: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  signals: Signals;
  planning: Planning;
}): OptInService {
  const { store, sealer, clock, signals, planning } = deps;

  const find = async (token: string): Promise<OptInSight & { readonly submissionId: string }> => {
    const opened = openToken(sealer, token);
    if (opened === null) return { state: 'unknown', form: null, submissionId: '' };
    const { submissionId } = opened;
    const optIn = await store.optIns.load(submissionId);
    const form = optIn && ((await store.forms.findWithProject(optIn.formId))?.form ?? null);
    if (form && optIn.confirmedAt !== null) return { state: 'already_confirmed', form, submissionId };
    if (opened.expiresAt <= clock.now()) return { state: 'expired', form, submissionId };
    return { state: form ? 'waiting' : 'unknown', form, submissionId };
  };

  /** Does what usually happens when a submission arrives. Returns false when another request was faster, or it was deleted. */
  const accept = async (
    target: IntakeForm,
    submissionId: string,
    visitor: Omit<OptInEvidence, 'confirmedAt'>,
  ): Promise<boolean> => {
    const { form, project, accountId, destinations } = target;
    const submission = await store.submissions.find(wholeAccount(accountId), submissionId);
    if (!submission) return false;
    const now = clock.now();
    const copies = allowedCopies(
      controlOf(controlsIn(submission.metadata.controlFields), 'cc'),
      form.allowedCcEmails,
    );
    const source = { form, project, submission, files: submission.files };
    const planned = planDeliveries(source, routesOf(target, destinations), planning, copies, now);
    const asFirst = { trigger: 'auto', queue: queues.first } as const;
    const deliveries = planned.deliveries.map((delivery) => sentNow(delivery, asFirst, now));
    const isOurs = await store.optIns.confirm({
      submission,
      accountId,
      evidence: {
        ip: form.storeIp ? visitor.ip : '',
        userAgent: form.storeUserAgent ? visitor.userAgent : '',
        confirmedAt: now,
      },
      deliveries,
      skipped: planned.skipped,
      maxSubmissions: form.maxSubmissions,
    });
    if (!isOurs) return false;
    if (deliveries.length > 0)
      signals.publish({ kind: 'deliveries-ready', lanes: deliveries.map(({ lane }) => lane) });
    announce(signals, accountId, submission);
    return true;
  };

  return {
    look: async (token) => {
      const { state, form } = await find(token);
      return { state, form };
    },

    async confirm(token, visitor) {
      const { state, form, submissionId } = await find(token);
      const target = form && state === 'waiting' ? await store.forms.findForIntake(form.publicId) : null;
      if (!target) return { state, form };
      try {
        if (await accept(target, submissionId, visitor)) return { state: 'confirmed', form };
      } catch (error) {
        if (error instanceof StoreConflict && error.rule === 'limit') return { state: 'full', form };
        throw error;
      }
      // Another request was faster: return the state that it left.
      const { state: left } = await find(token);
      return { state: left === 'waiting' ? 'unknown' : left, form };
    },
  };
}
