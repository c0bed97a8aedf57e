/**
 * Decides who may submit: the checks that need no body, in the order of the decisions, cheapest first.
 * A refusal is a value: under attack most responses are refusals, and they must stay cheap.
 */
import { rateKey } from '../../kernel/addresses.js';
import { secondsUntil } from '../../kernel/clock.js';
import { hostOfUrl, isLocalhost, originMatches, parseHttpUrl } from '../../kernel/hosts.js';
import { hmacBase64Url, sameSecret } from '../../kernel/secrets.js';
import { type Refusal, refuse } from '../../model/errors.js';
import { dayOf } from '../../model/tally.js';
import type { Counters } from '../../ports/counters.js';
import { createFormLookup, type UnknownForm } from './form-lookup.js';
import type { CompiledForm, IntakeForms } from './intake-forms.js';
import type { RateCount, RateReading } from './rate.js';

export type { RateReading } from './rate.js';

/** What the request's head says about the visitor. */
export interface Visit {
  /** Canonical, after the trust-proxy rule. */
  readonly ip: string;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly serviceKey: string | undefined;
  readonly userAgent: string | undefined;
  readonly acceptLanguage: string | undefined;
  /** The mark on a webhook delivery from this or another instance. */
  readonly instance: string | undefined;
}

export type Admission =
  | { readonly target: CompiledForm; readonly rate: RateReading; readonly refusal: null }
  /** `target` is null when there is no such form. */
  | { readonly target: CompiledForm | null; readonly rate: RateReading; readonly refusal: Refusal };

/** What a page may know about a form that rejected its submission. */
export interface FormAccess {
  readonly originAllowed: boolean;
  readonly isOpen: boolean;
}

const windowMs = 60_000;
const accessReadsPerMinute = 60;

export interface AdmissionDesk {
  admit(publicId: string, visit: Visit): Promise<Admission>;
  /** For requests that are not submissions. Returns the form, or why there is none. */
  find(publicId: string, ip: string): Promise<CompiledForm | Refusal>;
  /** Not counted as a submission: a page requests this after its browser blocked one. */
  accessOf(publicId: string, visit: Visit): Promise<FormAccess | Refusal>;
  /**
   * For bodies that name their form, which are read before anything else is known: an address that sent too many useless ones
   * is rejected before the next one is read. Returns null when it may send.
   */
  limitOf(ip: string): UnknownForm | null;
  /** Counts a body that was read in vain. */
  countUnnamed(ip: string): Promise<void>;
}

/** Returns the value of `Access-Control-Allow-Origin` for this visitor, or null for none. */
export function readableOrigin(target: CompiledForm | null, origin: string | undefined): string | null {
  if (!target?.origins) return '*';
  const host = hostOfUrl(origin);
  return host !== null && originMatches(target.origins, host) ? (origin ?? null) : null;
}

/** What a browser sends for a form on a page with `Referrer-Policy: no-referrer`. */
const isHidden = ({ origin, referer }: Visit): boolean => origin === 'null' && referer === undefined;

const isFromLocalhost = (host: string | null): boolean => host !== null && isLocalhost(host);

const isActive = ({ form, project }: CompiledForm): boolean =>
  form.isActive && !form.isArchived && project.isActive;

/** Returns why the form accepts nothing now, or null when it is open. */
export function judgeOpening(target: CompiledForm, now: number): Refusal | null {
  if (!isActive(target)) return refuse.formInactive();
  const closed = closedBy(target, now);
  return closed === null ? null : refuse.formClosed(closed);
}

/** Returns why the form is closed now, worded for its owner, or null when it is not closed. */
function closedBy({ form: { opensAt, closesAt } }: CompiledForm, now: number): string | null {
  if (opensAt !== null && now < opensAt) return 'the form is not open yet';
  return closesAt !== null && now >= closesAt ? 'the form has closed' : null;
}

/** The Origin header decides. The Referer counts only when it is absent. */
const cameFrom = ({ origin, referer }: Visit): string | undefined => origin ?? referer;

/** Whether the form's page on this instance sent it. Compares scheme, host and port: a host may run other programs too. */
export const isFromHostedPage = ({ hostedOrigin }: CompiledForm, visit: Visit): boolean =>
  hostedOrigin !== null && parseHttpUrl(cameFrom(visit) ?? '')?.origin === hostedOrigin;

function isFromAllowed(target: CompiledForm, visit: Visit): boolean {
  const { origins } = target;
  if (origins === null || isFromHostedPage(target, visit)) return true;
  const host = hostOfUrl(cameFrom(visit));
  return host !== null && originMatches(origins, host);
}

/** Returns why this visitor may not use the form, or null when they may. */
export function judgeAccess(target: CompiledForm, visit: Visit, now: number): Refusal | null {
  const { form } = target;
  const closed = judgeOpening(target, now);
  if (closed !== null) return closed;
  if (target.blocked.has(visit.ip)) return refuse.ipBlocked();

  const rightKey =
    visit.serviceKey !== undefined &&
    form.sandboxApiKey !== null &&
    sameSecret(visit.serviceKey, form.sandboxApiKey);
  const from = cameFrom(visit);
  if (!isFromAllowed(target, visit) && !(from === undefined && rightKey))
    return isHidden(visit) ? refuse.originHidden() : refuse.originNotAllowed();
  if (form.validationMode === 'live') {
    // Either header: a sandboxed frame on localhost sends `Origin: null` and still names itself in the Referer.
    const isLocal = isFromLocalhost(hostOfUrl(from)) || isFromLocalhost(hostOfUrl(visit.referer));
    if (isLocal && !isFromHostedPage(target, visit)) return refuse.localhostInLiveMode();
  } else if (!target.registered.has(visit.ip)) {
    return refuse.ipNotRegistered(visit.ip);
  }
  return visit.serviceKey !== undefined && !rightKey ? refuse.invalidServiceKey() : null;
}

export function createAdmissionDesk(deps: {
  forms: IntakeForms;
  counters: Counters;
  now: () => number;
  /** The limit for unknown ids: an unknown form has no project whose limit would apply. */
  defaultRateLimitPerMinute: number;
  /** The mark on our own deliveries. */
  instanceMark: string;
  /** For forms that do not store IP addresses: visitors are counted by a keyed hash that changes every day. */
  visitorKey: Buffer;
}): AdmissionDesk {
  const countAs = async (bucket: string, who: string, limit: number): Promise<RateCount> => {
    const { count, resetsAt } = await deps.counters.hit(`${bucket}:${who}`, windowMs);
    return { over: count > limit, rate: { limit, count, remaining: Math.max(0, limit - count), resetsAt } };
  };

  const count = (bucket: string, ip: string, limit: number): Promise<RateCount> =>
    countAs(bucket, rateKey(ip), limit);

  const hashOf = (network: string): string =>
    hmacBase64Url(deps.visitorKey, `${dayOf(deps.now())} ${network}`);

  const lookup = createFormLookup({
    forms: deps.forms,
    countUnknown: (ip) => count('unknown', ip, deps.defaultRateLimitPerMinute),
    now: deps.now,
  });

  const judge = (target: CompiledForm, visit: Visit, { over, rate }: RateCount): Refusal | null => {
    if (over) return refuse.submissionRateLimited(secondsUntil(rate.resetsAt, deps.now()));
    // One of our deliveries, forwarded to one of our forms, would loop forever. After a chain of proxies the header is a list.
    if (visit.instance?.includes(deps.instanceMark)) return refuse.webhookLoop();
    return judgeAccess(target, visit, deps.now());
  };

  return {
    limitOf: lookup.limitOf,
    countUnnamed: lookup.count,
    async find(publicId, ip) {
      const found = await lookup.find(publicId, ip);
      return 'refusal' in found ? found.refusal : found;
    },
    async accessOf(publicId, visit) {
      const target = await lookup.find(publicId, visit.ip);
      if ('refusal' in target) return target.refusal;
      const { over, rate } = await count('access', visit.ip, accessReadsPerMinute);
      if (over) return refuse.submissionRateLimited(secondsUntil(rate.resetsAt, deps.now()));
      return {
        originAllowed: isFromAllowed(target, visit),
        isOpen: judgeOpening(target, deps.now()) === null,
      };
    },
    async admit(publicId, visit) {
      const target = await lookup.find(publicId, visit.ip);
      if ('refusal' in target) return target;
      const { id, rateLimitPerMinute } = target.project;
      const network = rateKey(visit.ip);
      const who = target.form.storeIp ? network : hashOf(network);
      const counted = await countAs(id, who, rateLimitPerMinute);
      const refusal = judge(target, visit, counted);
      const { rate } = counted;
      return refusal === null ? { target, rate, refusal } : { target, rate, refusal };
    },
  };
}
