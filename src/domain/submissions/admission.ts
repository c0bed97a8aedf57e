/**
 * Who may submit: the checks that need no body, in the order of the decisions, cheapest first.
 * A refusal is a value: under attack most answers are refusals, and they must stay cheap.
 */
import { rateKey } from '../../kernel/addresses.js';
import { andThen } from '../../kernel/concurrency.js';
import { hostOfUrl, isLocalhost, originMatches } from '../../kernel/hosts.js';
import { sameSecret } from '../../kernel/secrets.js';
import { type Refusal, refuse } from '../../model/errors.js';
import type { Counters } from '../../ports/counters.js';
import { createFormLookup, type UnknownForm } from './form-lookup.js';
import type { CompiledForm, IntakeForms } from './intake-forms.js';
import type { RateCount, RateReading } from './rate.js';

export type { RateReading } from './rate.js';

/** What the request's head says about the visitor. */
export interface Visit {
  /** After the trust-proxy rule, canonical. */
  readonly ip: string;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly serviceKey: string | undefined;
  readonly userAgent: string | undefined;
  /** Of a webhook delivery that this instance, or another, has made. */
  readonly instance: string | undefined;
}

export interface Admission {
  /** null: there is no such form. */
  readonly target: CompiledForm | null;
  readonly rate: RateReading;
  /** null: come in. */
  readonly refusal: Refusal | null;
}

const windowMs = 60_000;

export interface AdmissionDesk {
  /** At once when form and counter are at hand, as they are for nearly every visitor. */
  admit(publicId: string, visit: Visit): Admission | Promise<Admission>;
  /** For what is no submission: the form, or why there is none. */
  find(publicId: string, ip: string): Promise<CompiledForm | Refusal>;
}

/** What `Access-Control-Allow-Origin` may say to this visitor; null: nothing. */
export function readableOrigin(target: CompiledForm | null, origin: string | undefined): string | null {
  if (!target?.origins) return '*';
  const host = hostOfUrl(origin);
  return host !== null && originMatches(target.origins, host) ? (origin ?? null) : null;
}

const isFromLocalhost = (host: string | null): boolean => host !== null && isLocalhost(host);

/** Whether this visitor may use the form at all; null: come in. */
export function judgeAccess(target: CompiledForm, visit: Visit): Refusal | null {
  const { form, project } = target;
  if (!form.isActive || !project.isActive) return refuse.formInactive();
  if (target.blocked.has(visit.ip)) return refuse.ipBlocked();

  const rightKey =
    visit.serviceKey !== undefined &&
    form.sandboxApiKey !== null &&
    sameSecret(visit.serviceKey, form.sandboxApiKey);
  // The Origin header decides; only when it is absent does the Referer speak.
  const from = visit.origin ?? visit.referer;
  const host = hostOfUrl(from);
  if (target.origins) {
    const allowed = from === undefined ? rightKey : host !== null && originMatches(target.origins, host);
    if (!allowed) return refuse.originNotAllowed();
  }
  if (form.validationMode === 'live') {
    // Either header: a sandboxed frame on localhost sends `Origin: null` and still names itself in the Referer.
    if (isFromLocalhost(host) || isFromLocalhost(hostOfUrl(visit.referer)))
      return refuse.localhostInLiveMode();
  } else if (!target.registered.has(visit.ip)) {
    return refuse.ipNotRegistered(visit.ip);
  }
  return visit.serviceKey !== undefined && !rightKey ? refuse.invalidServiceKey() : null;
}

export function createAdmissionDesk(deps: {
  forms: IntakeForms;
  counters: Counters;
  now: () => number;
  /** Of unknown ids: an unknown form has no project whose limit would count. */
  defaultRateLimitPerMinute: number;
  /** What our own deliveries carry. */
  instanceMark: string;
}): AdmissionDesk {
  const count = (bucket: string, ip: string, limit: number): RateCount | Promise<RateCount> =>
    andThen(deps.counters.hit(`${bucket}:${rateKey(ip)}`, windowMs), ({ count, resetsAt }) => ({
      over: count > limit,
      rate: { limit, count, remaining: Math.max(0, limit - count), resetsAt },
    }));

  const lookup = createFormLookup({
    forms: deps.forms,
    countUnknown: (ip) => count('unknown', ip, deps.defaultRateLimitPerMinute),
    now: deps.now,
  });

  const admitTo = (found: CompiledForm | UnknownForm, visit: Visit): Admission | Promise<Admission> => {
    if ('refusal' in found) return found;
    const target = found;
    const { project } = target;
    return andThen(count(project.id, visit.ip, project.rateLimitPerMinute), ({ over, rate }) => {
      // Whoever passes our delivery on to a form of ours, it would go round for ever. A list, after a chain of proxies.
      if (!over && visit.instance?.includes(deps.instanceMark))
        return { target, rate, refusal: refuse.webhookLoop() };
      if (!over) return { target, rate, refusal: judgeAccess(target, visit) };
      const seconds = Math.max(1, Math.ceil((rate.resetsAt - deps.now()) / 1000));
      return { target, rate, refusal: refuse.submissionRateLimited(seconds) };
    });
  };

  return {
    async find(publicId, ip) {
      const found = await lookup.find(publicId, ip);
      return 'refusal' in found ? found.refusal : found;
    },
    admit(publicId, visit) {
      const found = lookup.find(publicId, visit.ip);
      return found instanceof Promise
        ? found.then((target) => admitTo(target, visit))
        : admitTo(found, visit);
    },
  };
}
