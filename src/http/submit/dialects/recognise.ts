/**
 * Detects the service that a request was written for. Only explicit signs count: the path, then a header, then a field that no form would
 * use for anything else. If there are several, the first of these decides.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { membersOf } from '../../../kernel/json-outline.js';
import { isServicePath } from '../../../model/alias.js';
import { formNameFields, type SubmittedFields } from '../../../model/fields.js';
import { textOf } from '../body/read-json.js';
import { basin } from './basin.js';
import type { Dialect } from './dialect.js';
import { formcarry } from './formcarry.js';
import { forminit, hasTypedNames } from './forminit.js';
import { formspark } from './formspark.js';
import { formspree } from './formspree.js';
import { formsubmit } from './formsubmit.js';
import { netlify } from './netlify.js';
import { staticforms } from './staticforms.js';
import { web3forms } from './web3forms.js';

/** The target of a request. */
export interface Way {
  /** The public_id or an alias; null: the body names the form. */
  readonly id: string | null;
  /** The path after the id. */
  readonly rest: string;
  readonly dialect: Dialect | null;
  /** The response is JSON, whatever the request accepts. */
  readonly isJson: boolean;
  /** If there is no such form, another route may handle the path. */
  readonly isShared: boolean;
}

const way = (id: string | null, dialect: Dialect | null, options: Partial<Way> = {}): Way => ({
  id,
  rest: '',
  dialect,
  isJson: false,
  isShared: false,
  ...options,
});

/** Paths of other services, for POST and its preflight. */
const foreignWays: readonly (readonly [RegExp, (id: string) => Way])[] = [
  [/^\/submit\/?$/, () => way(null, web3forms)],
  [/^\/s\/([^/]+)\/?$/, (id) => way(id, formcarry)],
  [/^\/ajax\/([^/]+)\/?$/, (id) => way(id, formsubmit, { isJson: true })],
  [/^\/p\/([^/]+\/f\/[^/]+)\/?$/, (id) => way(id.replace('/f/', '/'), formspree)],
  [/^\/([^/]+)\/?$/, (id) => way(id, id.includes('@') ? formsubmit : formspark, { isShared: true })],
  [/^\/$/, () => way(null, netlify, { isShared: true })],
];

/** An alias can contain any character. Returns '' for a malformed one, which matches no form. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/** Inlet's own path, which has to be fast. */
function ownWay(path: string): Way {
  const slash = path.indexOf('/', 3);
  const id = decoded(slash === -1 ? path.slice(3) : path.slice(3, slash));
  const rest = slash === -1 ? '' : path.slice(slash);
  if (id.endsWith('.json') && rest === '') return way(id.slice(0, -5), basin, { isJson: true });
  return { id, rest, dialect: null, isJson: false, isShared: false };
}

/** `path` has no query. Returns null when it is not one of ours. */
export function wayOf(method: string | undefined, path: string): Way | null {
  if (path.startsWith('/f/')) return ownWay(path);
  if (method !== 'POST' && method !== 'OPTIONS') return null;
  for (const [pattern, make] of foreignWays) {
    const found = pattern.exec(path);
    if (found) {
      const way = make(decoded(found[1] ?? ''));
      return way.isShared && isServicePath(way.id ?? '') ? null : way;
    }
  }
  return null;
}

export function dialectOfHeaders(headers: IncomingHttpHeaders): Dialect | null {
  if (headers['formspree-client'] !== undefined) return formspree;
  return headers['forminit-sdk-version'] === undefined ? null : forminit;
}

export function dialectOfFields({ json, reserved }: SubmittedFields): Dialect | null {
  if (reserved.size > 0) {
    if (reserved.has(formNameFields.web3forms)) return web3forms;
    if (reserved.has(formNameFields.netlify)) return netlify;
  }
  return hasTypedNames(json) ? forminit : null;
}

const memberText = (json: string, wanted: string): string | null => {
  for (const { name, value } of membersOf(json)) if (name === wanted) return textOf(value);
  return null;
};

/** For a way without an id: returns the form that the body names, and the service whose field names it. */
export function formNamedIn(
  { dialect }: Way,
  { json, reserved }: SubmittedFields,
): { readonly id: string; readonly dialect: Dialect } | null {
  const named = (id: string | null | undefined, by: Dialect) => (id ? { id, dialect: by } : null);
  if (dialect === netlify) return named(reserved.get(formNameFields.netlify), netlify);
  return (
    named(reserved.get(formNameFields.web3forms), web3forms) ??
    named(memberText(json, 'apikey'), web3forms) ??
    named(memberText(json, 'apiKey') ?? memberText(json, 'accessKey'), staticforms)
  );
}

/** The fields as stored: fields that control the service are taken out, the others get the names they are stored under. */
export function translated(fields: SubmittedFields, dialect: Dialect): SubmittedFields {
  const { json, reserved } = dialect.rewrite(fields);
  const kept: string[] = [];
  const steering = new Map(reserved);
  for (const { name, source, value } of membersOf(json)) {
    const known = dialect.steers(name);
    if (known === null) kept.push(source);
    else {
      const text = textOf(value);
      if (text !== null && !steering.has(known)) steering.set(known, text);
    }
  }
  return { json: `{${kept.join(',')}}`, values: null, reserved: steering };
}
