/**
 * Issues a challenge to every client that may submit the form now. It is not counted as a submission but separately,
 * because each challenge costs us a little work.
 */
import { rateKey } from '../../kernel/addresses.js';
import { secondsUntil } from '../../kernel/clock.js';
import { Refusal, refuse } from '../../model/errors.js';
import type { ChallengeMaker } from '../../ports/captcha.js';
import type { Counters } from '../../ports/counters.js';
import { type AdmissionDesk, judgeAccess, type Visit } from './admission.js';
import type { CompiledForm } from './intake-forms.js';

const windowMs = 60_000;
const perMinute = 60;
/** Challenges are made in the threads that also write files, so they must not queue up there. */
const maxUnderWay = 64;

export interface ChallengeAnswer {
  /** null when there is no such form. */
  readonly target: CompiledForm | null;
  /** The challenge as JSON text, or why there is none. */
  readonly result: string | Refusal;
}

export interface ChallengeDesk {
  issue(publicId: string, visit: Visit): Promise<ChallengeAnswer>;
}

export function createChallengeDesk(deps: {
  desk: Pick<AdmissionDesk, 'find'>;
  counters: Counters;
  maker: ChallengeMaker;
  now: () => number;
}): ChallengeDesk {
  let underWay = 0;

  const judge = async (target: CompiledForm, visit: Visit): Promise<Refusal | null> => {
    const { count, resetsAt } = await deps.counters.hit(`challenge:${rateKey(visit.ip)}`, windowMs);
    if (count > perMinute) {
      return refuse.submissionRateLimited(secondsUntil(resetsAt, deps.now()));
    }
    const refusal = judgeAccess(target, visit, deps.now());
    if (refusal) return refusal;
    const { captchaEnabled, captchaProvider } = target.form;
    return captchaEnabled && captchaProvider === 'altcha' ? null : refuse.noChallenge();
  };

  return {
    async issue(publicId, visit) {
      const target = await deps.desk.find(publicId, visit.ip);
      if (target instanceof Refusal) return { target: null, result: target };
      const refusal = await judge(target, visit);
      if (refusal) return { target, result: refusal };
      // Checked and taken without an await in between, or many requests would take the same free place.
      if (underWay >= maxUnderWay) return { target, result: refuse.busy() };
      underWay += 1;
      try {
        return { target, result: await deps.maker.challenge(target.form.id) };
      } finally {
        underWay -= 1;
      }
    },
  };
}
