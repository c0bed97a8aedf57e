/**
 * The quarantine, for its owner: what robots sent, for thirty days. A release makes a new submission of it, with everything that a
 * submission sets off, and takes it out, in one transaction: released twice at the same moment, it is one submission.
 */
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { webhookStateOf } from '../../model/delivery.js';
import { refuse } from '../../model/errors.js';
import { controlOf, controlsIn } from '../../model/fields.js';
import type { Quarantined } from '../../model/quarantine.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { Signals } from '../../ports/signals.js';
import type { Page, Store } from '../../ports/store.js';
import type { FormService } from '../forms/service.js';
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
  delete(who: Principal, id: string): Promise<void>;
}

export function createQuarantineService(deps: {
  store: Store;
  forms: FormService;
  signals: Signals;
  clock: Clock;
  planning: Planning;
}): QuarantineService {
  const { store, forms, signals, clock, planning } = deps;

  const get = async (who: Principal, id: string): Promise<Quarantined> => {
    const held = isUuid(id) ? await store.quarantine.find(who.accountId, id) : null;
    if (!held) throw refuse.quarantinedNotFound();
    return held;
  };

  return {
    list: (who, page) => store.quarantine.list(who.accountId, null, page),

    async listByForm(who, formId, page) {
      const { form } = await forms.get(who, formId);
      return store.quarantine.list(who.accountId, form.id, page);
    },

    async release(who, id) {
      const held = await get(who, id);
      const { form } = await forms.get(who, held.formId);
      const target = await store.forms.findForIntake(form.publicId);
      if (!target) throw refuse.formNotFound();
      const asked = controlOf(controlsIn(held.metadata.controlFields), 'cc');
      const copies = allowedCopies(asked, form.allowedCcEmails);
      const content = { data: held.data, metadata: held.metadata, files: [], copies };
      const routes = routesOf(target, target.destinations);
      const entry = planSubmission({ ...target, routes }, content, { now: clock.now(), planning });
      await store.tx(async (tx) => {
        if (!(await tx.quarantine.remove(held.id))) throw refuse.quarantinedNotFound();
        await tx.submissions.create(entry);
      });
      if (entry.deliveries.length > 0) {
        signals.publish({ kind: 'deliveries-ready', lanes: entry.deliveries.map(({ lane }) => lane) });
      }
      announce(signals, who.accountId, entry.submission);
      const deliveryState = webhookStateOf(entry.deliveries.map(({ state }) => state));
      return { ...entry.submission, files: [], deliveryState };
    },

    async delete(who, id) {
      const held = await get(who, id);
      await store.quarantine.remove(held.id);
    },
  };
}
