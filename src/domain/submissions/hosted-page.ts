/** The form behind a hosted page, and whether it accepts anything now. */

import { Refusal, refuse } from '../../model/errors.js';
import { wholeAccount } from '../../model/reach.js';
import type { Store } from '../../ports/store.js';
import { type AdmissionDesk, judgeOpening } from './admission.js';
import type { CompiledForm } from './intake-forms.js';

export interface HostedForm {
  readonly target: CompiledForm;
  /** Why it accepts nothing; null: it is open. */
  readonly closure: Refusal | null;
  /** When it opens; null: it has been open. */
  readonly opensAt: number | null;
}

export interface HostedPageDesk {
  /** null: there is no such form, or it has no page. */
  find(publicId: string, ip: string): Promise<HostedForm | Refusal | null>;
}

export function createHostedPageDesk(deps: {
  desk: Pick<AdmissionDesk, 'find'>;
  forms: Pick<Store['forms'], 'find'>;
  now: () => number;
}): HostedPageDesk {
  /** One request more for the database, and only of a form that can be full. */
  const isFull = async ({ form, accountId }: CompiledForm): Promise<boolean> => {
    if (form.maxSubmissions === null) return false;
    const found = await deps.forms.find(wholeAccount(accountId), form.id);
    return found !== null && found.submissionsCount >= form.maxSubmissions;
  };

  return {
    async find(publicId, ip) {
      const target = await deps.desk.find(publicId, ip);
      if (target instanceof Refusal) return target.code === 'form_not_found' ? null : target;
      if (target.hostedOrigin === null) return null;
      const now = deps.now();
      const { opensAt } = target.form;
      const closure = judgeOpening(target, now) ?? ((await isFull(target)) ? refuse.formFull() : null);
      return { target, closure, opensAt: opensAt !== null && opensAt > now ? opensAt : null };
    },
  };
}
