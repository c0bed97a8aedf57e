/** Validates requests against the contract's schemas and reports all faults at once, in words. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { isNetwork } from '../kernel/addresses.js';
import { isMailbox } from '../kernel/email-address.js';
import { normaliseOriginPattern, parseHttpUrl } from '../kernel/hosts.js';
import { isUuid } from '../kernel/ids.js';
import { isTimeZone } from '../kernel/local-days.js';
import { passwordBytes } from '../model/account.js';
import { type Fault, type Refusal, refuse } from '../model/errors.js';
import { maxImageSide } from '../model/image.js';
import { excessOf, maxFaults, type SizedSchema, shownName, unknownField } from './excess.js';

/** An index key in PostgreSQL has at most 2,704 bytes: one with 2,048 characters of four bytes made every submission fail. */
const maxUrlBytes = 2048;

function isHttpUrl(text: string): boolean {
  if (Buffer.byteLength(text) > maxUrlBytes) return false;
  // The parser would drop line breaks and use the path as a missing host. The stored URL must be the one that was checked.
  if (/[\s\p{Cc}]/u.test(text)) return false;
  const url = parseHttpUrl(text);
  return url !== null && url.username === '' && url.password === '' && url.hostname !== '';
}

const instantShape = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** With a zone, or a day alone, which is UTC: a time without a zone would be in the server's own. */
function isInstant(text: string): boolean {
  const [, day] = instantShape.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  // The parser turns the 31st of February into a day in March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

const formats: Readonly<Record<string, { check: (text: string) => boolean; message: string }>> = {
  'http-url': {
    check: isHttpUrl,
    message: `must be an http or https URL without user name and password, of at most ${maxUrlBytes} bytes`,
  },
  'image-url': {
    // Its host becomes part of a policy, in which other characters have a meaning.
    check: (text) => isHttpUrl(text) && /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?\//i.test(text),
    message: 'must be an https URL with an ASCII host name and a path',
  },
  'origin-host': {
    check: (text) => normaliseOriginPattern(text) !== null,
    message: 'must be a host name such as example.com or *.example.com',
  },
  email: { check: isMailbox, message: 'must be an e-mail address' },
  'new-password': {
    check: (text) =>
      Buffer.byteLength(text) >= passwordBytes.min && Buffer.byteLength(text) <= passwordBytes.max,
    message: `must have ${passwordBytes.min} to ${passwordBytes.max} bytes`,
  },
  password: {
    check: (text) => Buffer.byteLength(text) <= passwordBytes.max,
    message: `must have at most ${passwordBytes.max} bytes`,
  },
  'ip-or-cidr': {
    check: isNetwork,
    message: 'must be an IP address or a CIDR such as 203.0.113.0/24',
  },
  'image-side': {
    check: (text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= maxImageSide,
    message: `must be a whole number from 1 to ${maxImageSide}`,
  },
  'image-quality': {
    check: (text) => /^([1-9]\d?|100)$/.test(text),
    message: 'must be a whole number from 1 to 100',
  },
  uuid: { check: isUuid, message: 'must be a UUID' },
  instant: {
    check: isInstant,
    message: 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z',
  },
  'time-zone': {
    check: isTimeZone,
    message: 'must be the name of an IANA time zone such as Europe/Berlin',
  },
  'date-time': { check: (text) => !Number.isNaN(Date.parse(text)), message: 'must be an ISO 8601 time' },
};

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const inner =
    keyword === 'required'
      ? String(params.missingProperty)
      : keyword === 'additionalProperties'
        ? shownName(String(params.additionalProperty))
        : '';
  const outer = instancePath.slice(1).replaceAll('/', '.');
  return [outer, inner].filter((part) => part !== '').join('.');
}

function messageOf({ keyword, params, message, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return unknownField;
    case 'enum':
      return `must be one of ${(params.allowedValues as string[]).join(', ')}`;
    case 'format':
      return formats[String(params.format)]?.message ?? 'has the wrong format';
    case 'pattern':
      return params.pattern === '\\S' ? 'must not be blank' : 'has characters that are not allowed';
    case 'type':
      // Queries are text, and a repeated name becomes a list.
      if (Array.isArray(data) && params.type !== 'array') return 'must be given once';
      return `must be ${[params.type].flat().join(' or ')}`;
    default:
      return message ?? 'is not valid';
  }
}

const faultsOf = (errors: readonly ErrorObject[]): readonly Fault[] =>
  errors.slice(0, maxFaults).map((error) => ({ path: pathOf(error), message: messageOf(error) }));

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    verbose: coerceTypes,
    coerceTypes,
    useDefaults: true,
    allowUnionTypes: true,
    strict: false,
    // The schemas are ours. Checking them as well made the first request of each process wait 40 ms, and all others with it.
    meta: false,
    validateSchema: false,
  });
  for (const [name, { check }] of Object.entries(formats)) ajv.addFormat(name, check);
  return ajv;
}

/** Returns all faults of a value, or null when it has none. */
type Check = (value: unknown) => Refusal | null;

function checkOf(ajv: Ajv, schema: SizedSchema): Check {
  // Compiled by the first request that needs it: all of them at once took a tenth of the startup.
  let compiled: ValidateFunction | null = null;
  return (value) => {
    const excess = excessOf(schema, value);
    if (excess.length > 0) return refuse.invalidBody(excess);
    compiled ??= ajv.compile(schema);
    if (compiled(value)) return null;
    const faults = faultsOf(compiled.errors ?? []);
    // Otherwise the compiled function would keep them, and with them the request, until the next one.
    compiled.errors = null;
    return refuse.invalidBody(faults);
  };
}

/** Bodies are taken literally; queries and path parameters are text, so their numbers are converted. */
export function createValidatorCompiler(): FastifySchemaCompiler<SizedSchema> {
  const literal = createAjv(false);
  const coercing = createAjv(true);
  return ({ schema, httpPart }) => {
    const check = checkOf(httpPart === 'body' ? literal : coercing, schema);
    return (value: unknown) => {
      const error = check(value);
      return error ? { error } : { value };
    };
  };
}

/** For a part of a body whose schema depends on the rest. The paths of faults begin with `path`. */
export function checksOfPart<Name extends string>(
  path: string,
  schemas: Readonly<Record<Name, SizedSchema>>,
): (name: Name, value: unknown) => Refusal | null {
  const ajv = createAjv(false);
  const checks = new Map<string, Check>();
  return (name, value) => {
    const check = checks.get(name) ?? checkOf(ajv, schemas[name]);
    checks.set(name, check);
    return within(path, check(value));
  };
}

function within(path: string, refusal: Refusal | null): Refusal | null {
  const faults = refusal?.extra.details as readonly Fault[] | undefined;
  return faults
    ? refuse.invalidBody(
        faults.map((fault) => ({ ...fault, path: fault.path === '' ? path : `${path}.${fault.path}` })),
      )
    : null;
}
