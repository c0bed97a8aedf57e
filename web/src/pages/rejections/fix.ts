/**
 * The setting that would allow a rejected request, given the form's current settings. The observed values are untrusted: a host is
 * offered only if it parses unambiguously, and the owner sees it before anything changes. Pure.
 */
import type { FormBody, FormFull, ProjectFull } from '../../wire.js';
import * as words from '../../words/rejections.js';
import { entriesWith } from './addresses.js';
import type { Example } from './reasons.js';

export type Fix =
  | { readonly kind: 'done'; readonly words: string }
  | { readonly kind: 'note'; readonly words: string }
  | { readonly kind: 'go'; readonly label: string; readonly to: string }
  | {
      readonly kind: 'change';
      readonly label: string;
      /** What becomes allowed: a host, an address, or the list entries to be removed. */
      readonly what: string;
      readonly effect: string;
      readonly change: FormBody;
      /** The project's list that applies to the form, which the change would copy to the form; null otherwise. */
      readonly projectList: readonly string[] | null;
    };

/** The host of `Origin: https://staging.example.com:8443` or of a Referer. Returns null in any doubt. */
export function hostSeen(seen: string): string | null {
  const url = /^(?:Origin|Referer): (https?:\/\/\S+)$/i.exec(seen)?.[1];
  if (url === undefined || /[\\@]|^https?:\/\/[^/]*…/i.test(url) || !URL.canParse(url)) return null;
  // `https://%2a.com` and `https://＊.com` parse as `*.com`, which the list treats as a wildcard for all hosts below.
  if (/^https?:\/\/[^/?#]*[*%]/i.test(url)) return null;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return /^[a-z0-9._:-]+$/.test(host) ? host : null;
}

const isLocal = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '::1';

const covers = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : pattern === host;

type Lists = Pick<
  FormFull,
  'id' | 'project_id' | 'allowed_origins' | 'sandbox_ips' | 'blocked_ips' | 'validation_mode'
>;

function originMending(seen: string, form: Lists, projectOrigins: readonly string[]): Fix | null {
  const host = hostSeen(seen);
  if (host === null) {
    if (/^Origin: null$/.test(seen)) {
      return { kind: 'note', words: words.originOfFiles };
    }
    return /^neither/.test(seen) ? { kind: 'note', words: words.originMissing } : null;
  }
  const isOwn = form.allowed_origins.length > 0;
  const list = isOwn ? form.allowed_origins : projectOrigins;
  // A live form would still reject localhost.
  if (isLocal(host) && form.validation_mode === 'live') {
    return { kind: 'go', label: words.setUpSandboxMode, to: `/forms/${form.id}/settings` };
  }
  if (list.length === 0) return { kind: 'done', words: words.everyOriginAllowed };
  if (list.some((pattern) => covers(pattern, host))) return { kind: 'done', words: words.originAllowed };
  return {
    kind: 'change',
    label: words.allowThisOrigin,
    what: host,
    effect: words.allowThisOriginEffect,
    change: { allowed_origins: [...list, host] },
    projectList: isOwn ? null : list,
  };
}

function addressMending(reason: 'sandbox' | 'blocked', ip: string, form: Lists): Fix {
  const listed = entriesWith(reason === 'sandbox' ? form.sandbox_ips : form.blocked_ips, ip);
  if (reason === 'sandbox') {
    if (form.validation_mode === 'live') return { kind: 'done', words: words.formIsLive };
    if (listed.length > 0) return { kind: 'done', words: words.addressRegistered };
    return {
      kind: 'change',
      label: words.registerThisAddress,
      what: ip,
      effect: words.registerThisAddressEffect,
      change: { sandbox_ips: [...form.sandbox_ips, ip] },
      projectList: null,
    };
  }
  if (listed.length === 0) return { kind: 'done', words: words.addressUnblocked };
  const isWide = listed.some((entry) => entry.includes('/'));
  return {
    kind: 'change',
    label: words.unblockThisAddress,
    what: listed.join(', '),
    effect: isWide ? words.unblockNetworkEffect(ip) : words.unblockThisAddressEffect,
    change: { blocked_ips: form.blocked_ips.filter((entry) => !listed.includes(entry)) },
    projectList: null,
  };
}

/** Returns null when no button can help; the explanation has to be enough. */
export function fixOf(
  { reason, seen, ip }: Pick<Example, 'reason' | 'seen' | 'ip'>,
  form: Lists,
  project: Pick<ProjectFull, 'allowed_origins'>,
): Fix | null {
  const settings = { kind: 'go', label: words.openSettings, to: `/forms/${form.id}/settings` } as const;
  switch (reason) {
    case 'origin':
      return originMending(seen, form, project.allowed_origins);
    case 'sandbox':
    case 'blocked':
      return ip === '' ? null : addressMending(reason, ip, form);
    case 'localhost':
    case 'inactive':
    case 'service_key':
    case 'captcha':
    case 'webhook_loop':
      return settings;
    case 'rate':
      return { kind: 'go', label: words.openProjectSettings, to: `/projects/${form.project_id}/settings` };
    case 'honeypot':
      return { kind: 'go', label: words.openQuarantine, to: `/forms/${form.id}/quarantine` };
    case 'plan':
      return { kind: 'go', label: words.seeThePlan, to: '/plan' };
    default:
      return null;
  }
}

/** Reasons that concern the whole form get one button instead of one per example. */
export const isOfExample = (reason: string): boolean => ['origin', 'sandbox', 'blocked'].includes(reason);
