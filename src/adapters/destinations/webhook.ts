/** Webhooks: the event or its rendered template, signed. */
import type { WebhookConfig } from '../../contract/destination.js';
import type { Clock } from '../../kernel/clock.js';
import { isSecretHeader } from '../../model/destination.js';
import type { DestinationKind, SigningSecrets } from '../../ports/destination-kind.js';
import type { HttpCalls } from './http-call.js';
import { signedHeaders } from './webhook-signature.js';

const urlEncoded = 'application/x-www-form-urlencoded';

export function createWebhook(deps: { calls: HttpCalls; clock: Clock }): DestinationKind<'webhook'> {
  const { calls, clock } = deps;
  return {
    originOf: ({ config }) => new URL(config.url).origin,

    prepare(event, { config }) {
      const body = event.renderJson() ?? event.body();
      const isForm = config.content_type === urlEncoded;
      return [{ address: config.url, body: isForm ? event.once(urlEncoded, () => formBody(body)) : body }];
    },

    send({ id, submissionId, attempt, body }, { config }, projectSigning) {
      const signing = signingOf(config, projectSigning);
      const message = { messageId: id, submissionId, attempt, body };
      const headers = signedHeaders(message, signing, clock.now());
      headers['content-type'] = typeOf(body);
      for (const name in config.headers) headers[name.toLowerCase()] = config.headers[name] ?? '';
      const secrets = secretValues(config);
      return calls.send({ method: config.method, url: config.url, headers, body, secrets });
    },
  };
}

/** The body may be older than the config: a body stored as JSON is sent as JSON. A form body has no braces or brackets. */
const typeOf = (body: string): WebhookConfig['content_type'] =>
  /^[{[]/.test(body) ? 'application/json' : urlEncoded;

/** One object per config, because keys are cached by this object. */
const ownSigning = new WeakMap<WebhookConfig, SigningSecrets>();

function signingOf(config: WebhookConfig, projectSigning: SigningSecrets): SigningSecrets {
  if (config.secret === null) return projectSigning;
  const known = ownSigning.get(config);
  if (known) return known;
  const made = { secret: config.secret, previousSecret: null, previousSecretUntil: null };
  ownSigning.set(config, made);
  return made;
}

const secretValues = ({ headers, secret }: WebhookConfig): readonly string[] => {
  const inHeaders = Object.entries(headers).flatMap(([name, value]) =>
    isSecretHeader(name) ? [value, ...partsOf(value)] : [],
  );
  return secret === null ? inHeaders : [...inHeaders, secret];
};

/** Shorter parts are ordinary words such as `Bearer`. */
const minPartChars = 8;

/** For `Bearer x` or `a=x; b=y`: endpoints may echo only the credential. */
const partsOf = (value: string): readonly string[] =>
  value.split(/[\s;,="]+/).filter((part) => part.length >= minPartChars && part !== value);

/** Writes the members of an object under their names, with lists and objects as JSON. Anything else becomes `payload`. */
function formBody(json: string): string {
  const document: unknown = JSON.parse(json);
  const members =
    typeof document === 'object' && document !== null && !Array.isArray(document)
      ? Object.entries(document)
      : [['payload', document] as const];
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const form = new URLSearchParams();
  for (const [name, value] of members) form.append(name, text(value));
  return form.toString();
}
