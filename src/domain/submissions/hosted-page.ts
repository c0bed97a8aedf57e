/** The form behind a hosted page, and whether it accepts anything now. */

import { Refusal, refuse } from '../../model/errors.js';
import { wholeAccount } from '../../model/reach.js';
import type { Store } from '../../ports/store.js';
import { type AdmissionDesk, judgeOpening } from './admission.js';
import type { CompiledForm } from './intake-forms.js';

export interface HostedForm {
  readonly target: CompiledForm;
  /** Why it accepts nothing; null when it is open. */
  readonly closure: Refusal | null;
  /** When it opens; null when that is not in the future. */
  readonly opensAt: number | null;
}

export interface HostedPageDesk {
  /** Returns null when there is no such form, or it has no page. */
  find(publicId: string, ip: string): Promise<HostedForm | Refusal | null>;
}

export function createHostedPageDesk(deps: {
  desk: Pick<AdmissionDesk, 'find'>;
  forms: Pick<Store['forms'], 'find'>;
  now: () => number;
}): HostedPageDesk {
  /** Costs another database query, but only for forms that can be full. */
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
