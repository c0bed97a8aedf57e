/** Sabotages of the limits on what one request may cost. */
const largest = 'test/http/hostile/largest-bodies.test.ts';
const anonymous = 'test/http/hostile/anonymous-routes.test.ts';
const everyOne = 'answers every one, never blocks the event loop for 50 ms, and frees the memory';

export const bounding = [
  {
    name: 'management-bodies-unlimited',
    breaks: 'A management request body is limited to 128 KiB',
    patches: [
      {
        file: 'src/http/route.ts',
        find: 'const defaultBodyBytes = 128 * 1024;',
        put: 'const defaultBodyBytes = 8 * 1024 * 1024;',
      },
    ],
    test: { file: largest, name: 'rejects 500,000 ids without reading them' },
    because: /AssertionError/,
  },
  {
    name: 'items-before-length',
    breaks: 'The length of a list is checked before its items',
    patches: [
      {
        file: 'src/http/validation.ts',
        find: 'if (excess.length > 0) return refuse.invalidBody(excess);',
        put: '',
      },
    ],
    test: { file: largest, name: 'checks the length of a list before its items' },
    because: /AssertionError/,
  },
  {
    name: 'bodies-kept-after-the-response',
    breaks: 'Nothing of a request stays in memory after the response',
    patches: [
      {
        file: 'src/http/management-body.ts',
        find: "    if (text === '') return undefined;\n",
        put: "    if (text === '') return undefined;\n    kept.push(text);\n",
      },
      {
        file: 'src/http/management-body.ts',
        find: 'const excesses:',
        put: 'const kept: string[] = [];\nconst excesses:',
      },
    ],
    test: { file: largest, name: everyOne },
    because: /AssertionError/,
  },
  {
    name: 'hosts-of-any-length',
    breaks: 'No request blocks the event loop for 50 ms',
    patches: [
      {
        file: 'src/kernel/hosts.ts',
        find: ' || authority.length > MAX_AUTHORITY_LENGTH',
        put: '',
      },
      { file: 'src/http/excess.ts', find: 'value.length > 2 * maxLength', put: 'value.length < 0' },
      {
        file: 'src/http/validation.ts',
        find: 'if (Buffer.byteLength(text) > maxUrlBytes) return false;',
        put: '',
      },
    ],
    test: { file: largest, name: everyOne },
    because: /AssertionError/,
  },
  {
    name: 'openapi-uncompressed',
    breaks: 'The OpenAPI document is built once and served compressed',
    patches: [
      {
        file: 'src/http/openapi/document.ts',
        find: 'return sendPacked(request, reply, await packed);',
        put: 'await packed;\n    return reply.send(openApiDocument(operations, options));',
      },
      {
        file: 'src/http/openapi/document.ts',
        find: "import { type PackedBody, packBody, sendPacked } from '../content-coding.js';",
        put: "import { type PackedBody, packBody } from '../content-coding.js';",
      },
    ],
    test: { file: 'test/http/ops.test.ts', name: 'comes compressed for a client that accepts gzip' },
    because: /AssertionError/,
  },
  {
    name: 'origin-backtracks',
    breaks: 'No header blocks the event loop, however long it is',
    patches: [
      {
        file: 'src/kernel/hosts.ts',
        find: '([^/\\\\?#\\s]+)(?:[/\\\\?#]\\S*)?$/i;',
        put: '([^/\\\\?#\\s]+)\\S*$/i;',
      },
      {
        file: 'src/http/submit/handler.ts',
        find: 'const readable = readableOrigin(target, visit.origin);',
        put: 'const readable = readableOrigin(target, request.headers.origin);',
      },
    ],
    test: {
      file: 'test/http/hostile/largest-headers.test.ts',
      name: 'no header of any length blocks the event loop',
    },
    because: /AssertionError/,
  },
  {
    name: 'paths-cost-quadratic-time',
    breaks: 'No path of a request without a credential blocks the event loop for 50 ms',
    patches: [
      {
        file: 'src/http/docs-site.ts',
        find: "path.endsWith('/') ? path.slice(0, -1) : path;",
        put: "path.replace(/\\/+$/, '');",
      },
    ],
    test: { file: anonymous, name: 'no path keeps the server busy' },
    because: /AssertionError/,
  },
  {
    name: 'typed-text-of-any-length',
    breaks: 'No text that a visitor types blocks the event loop for 50 ms when a hosted page shows it again',
    patches: [
      {
        file: 'src/http/submit/prefill.ts',
        find: 'const maxTypedLength = 100_000;',
        put: 'const maxTypedLength = 10_000_000;',
      },
    ],
    test: {
      file: anonymous,
      name: 'nothing that a visitor types keeps a page busy that shows it again with the errors',
    },
    because: /AssertionError/,
  },
  {
    name: 'snippets-in-one-piece',
    breaks: 'The code to copy of the largest form does not block the event loop for 50 ms',
    patches: [
      {
        file: 'src/domain/forms/snippets/snippets.ts',
        find: 'const pace = createPace();',
        put: 'const pace = createPace(10_000);',
      },
    ],
    test: { file: anonymous, name: 'no form keeps the server busy with the code to copy' },
    because: /AssertionError/,
  },
  {
    name: 'dates-of-any-length',
    breaks: 'No cell of an import blocks the event loop for 50 ms',
    patches: [
      {
        file: 'src/domain/import/dates.ts',
        find: 'const maxDateLength = 100;',
        put: 'const maxDateLength = 10_000;',
      },
    ],
    test: { file: 'src/domain/import/dates.test.ts', name: 'is too long to be one, and is not looked at' },
    because: /AssertionError/,
  },
  {
    name: 'anybody-asks-providers-without-end',
    breaks:
      'What anyone can request without a credential is rate limited if it writes or asks another server',
    patches: [
      {
        file: 'src/domain/accounts/provider-sign-in.ts',
        find: 'async signOutUrl({ id, parting, address }) {\n      await count(address);',
        put: "async signOutUrl({ id, parting, address }) {\n      if (address === '') await count(address);",
      },
    ],
    test: { file: anonymous, name: 'is refused to one network after a while, unless it costs nothing' },
    because: /AssertionError/,
  },
  {
    name: 'unsubscribing-without-end',
    breaks: 'A link to unsubscribe writes ten times a minute at most',
    patches: [
      {
        file: 'src/http/unsubscribe.ts',
        find: 'const pressesPerMinute = 10;',
        put: 'const pressesPerMinute = 10_000;',
      },
    ],
    test: {
      file: 'test/http/destinations/email.test.ts',
      name: 'presses a button ten times a minute at most: each is written to the disk',
    },
    because: /AssertionError/,
  },
  {
    name: 'docs-packed-again-and-again',
    breaks: 'A page of the documentation is compressed once',
    patches: [
      {
        file: 'src/http/docs-site.ts',
        find: 'all.set(name, found);',
        put: 'if (all.size < 64) all.set(name, found);',
      },
    ],
    test: {
      file: 'src/http/docs-site.test.ts',
      name: 'packs each page once, however many there are',
    },
    because: /AssertionError/,
  },
  {
    name: 'docs-packed-as-well-as-can-be',
    breaks: 'A crawler of /docs costs little processor time',
    patches: [
      {
        file: 'src/http/docs-site.ts',
        find: 'packBody(plain(content), quickly);',
        put: 'packBody(plain(content));',
      },
    ],
    test: {
      file: 'src/http/docs-site.test.ts',
      name: 'packs pages quickly, because anyone may ask for all of them',
    },
    because: /AssertionError/,
  },
];
