/** What the fake providers share: a real server on loopback that is strict about requests, or misbehaves on demand. */
import { Ajv, type AnySchema } from 'ajv';
import { type Answer, answerBytes, type ReceivedRequest, startReceiver } from '../receivers.js';

/** `honest`: responds like the provider. `echoes`: rejects the request and repeats all of it. */
export type Conduct = 'honest' | 'hangs' | 'echoes' | Answer;

export interface Provider {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
  behave(conduct: Conduct): void;
  close(): Promise<void>;
}

export async function startProvider(honest: (request: ReceivedRequest) => Answer): Promise<Provider> {
  let conduct: Conduct = 'honest';
  const receiver = await startReceiver((socket, request) => {
    if (conduct === 'hangs') return;
    const answer = conduct === 'honest' ? honest(request) : conduct === 'echoes' ? echoOf(request) : conduct;
    // A status without a body has no length either.
    socket.write(answer.status === 204 ? 'HTTP/1.1 204 No Content\r\n\r\n' : answerBytes(answer));
  });
  return {
    origin: new URL(receiver.url).origin,
    requests: receiver.requests,
    behave: (next) => {
      conduct = next;
    },
    close: receiver.close,
  };
}

const echoOf = ({ method, path, headers, body }: ReceivedRequest): Answer => ({
  status: 400,
  body: [
    `${method} ${path}`,
    decodeURIComponent(path),
    ...Array.from(headers, ([name, value]) => `${name}: ${value}`),
    String(body).slice(0, 500),
  ].join('\n'),
});

/** Lengths count UTF-16 units: no provider counts more. The option is deprecated, and Ajv logs that each time. */
const ajv = new Ajv({
  logger: false,
  unicode: false,
  strict: true,
  strictRequired: false,
  allErrors: false,
  discriminator: true,
});

/** Returns why a text is not a JSON document of this schema, or null when it is one. */
export function checkerOf(schema: AnySchema): (text: string) => string | null {
  const validate = ajv.compile(schema);
  return (text) => {
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      return 'no JSON';
    }
    if (validate(document)) return null;
    const [first] = validate.errors ?? [];
    return `${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`;
  };
}

/** An object with exactly these properties. Names that end in `?` may be missing. */
export function exactly(properties: Readonly<Record<string, object>>): object {
  const names = Object.keys(properties);
  return {
    type: 'object',
    additionalProperties: false,
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema]),
    ),
  };
}

export const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
export const webUrl = { type: 'string', pattern: '^https?://[^\\s<>"]+$', maxLength: 3000 };
export const list = (items: object, maxItems: number) => ({ type: 'array', items, minItems: 1, maxItems });

/** One of several objects, distinguished by their `type`. */
export const typed = (shapes: Readonly<Record<string, Readonly<Record<string, object>>>>): object => ({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: Object.entries(shapes).map(([type, shape]) => exactly({ type: { const: type }, ...shape })),
});
