/** Sabotages of connections: they never end, or carry requests and responses that another parser could read differently. */
const connections = 'src/http/connection/connections.ts';
const connectionsTest = 'src/http/connection/connections.test.ts';
const requestsTest = 'test/http/hostile/requests.test.ts';
const headersTest = 'test/http/headers.test.ts';

export const connecting = [
  {
    name: 'closed-connections-are-held',
    breaks: 'A connection is closed after our last response, even if the client stays',
    patches: [{ file: connections, find: '      closing: closeMs,', put: '      closing: closeMs * 1e9,' }],
    test: { file: connectionsTest, name: 'ends one that sends half a head, although the client stays' },
    because: /timed out/,
  },
  {
    name: 'unread-responses-are-held',
    breaks: 'A response that the client does not read ends, with its socket and its file',
    patches: [{ file: connections, find: '      sending: sendMs,', put: '      sending: sendMs * 1e9,' }],
    test: { file: connectionsTest, name: 'ends one that does not read, although the client stays' },
    because: /timed out/,
  },
  {
    name: 'connections-unwatched',
    breaks: 'The service monitors its connections',
    patches: [
      { file: 'src/http/connection/node-server.ts', find: '  options.connections.watch(server);\n', put: '' },
    ],
    test: {
      file: 'test/http/hostile/connections.test.ts',
      name: 'a connection whose client stays',
    },
    because: /half a head/,
  },
  {
    name: 'connections-without-bound',
    breaks: 'Connections leave descriptors for files and the database',
    patches: [
      {
        file: connections,
        find: 'if (this.#open.size >= this.maxOpen && ',
        put: 'if (this.#open.size >= Number.MAX_SAFE_INTEGER && ',
      },
    ],
    test: { file: connectionsTest, name: 'those that wait for nothing make room' },
    because: /AssertionError/,
  },
  {
    name: 'responses-unguarded',
    breaks: 'Every response carries nosniff, frame-ancestors and a referrer policy',
    patches: [
      {
        file: 'src/http/connection/guards.ts',
        find: '        if (isPlain) given[name] ??= value;\n        else if (!this.hasHeader(name))',
        put: '        if (!isPlain && !this.hasHeader(name))',
      },
    ],
    test: { file: headersTest, name: 'behind http every response is guarded' },
    because: /AssertionError/,
  },
  {
    name: 'written-by-hand-unguarded',
    breaks: 'Responses to malformed HTTP are protected too',
    patches: [
      {
        file: 'src/http/connection/broken-request.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: 'charset=utf-8\\r\\n${lines}`',
        put: 'charset=utf-8\\r\\n`',
      },
    ],
    test: { file: headersTest, name: 'behind http every response is guarded' },
    because: /AssertionError/,
  },
  {
    name: 'chunks-in-http-1-0',
    breaks: 'A request with an ambiguous end is rejected, and nothing after it is processed',
    patches: [
      {
        file: 'src/http/front-door.ts',
        find: "(isOld || coding.toLowerCase() !== 'chunked')",
        put: "coding.toLowerCase() !== 'chunked'",
      },
    ],
    test: { file: 'src/http/front-door.test.ts', name: 'is refused when it has chunks in HTTP 1.0' },
    because: /AssertionError/,
  },
  {
    name: 'requests-behind-the-last-are-done',
    breaks: 'No request after the last response of a connection is processed',
    patches: [
      {
        file: 'src/http/connection/pipelining.ts',
        find: 'process.nextTick(() => socket.writable && handle(request, response));',
        put: 'if (!socket.destroyed) handle(request, response);',
      },
    ],
    test: { file: 'src/http/front-door.test.ts', name: 'is refused when it has chunks in HTTP 1.0' },
    because: /AssertionError/,
  },
  {
    name: 'invited-before-authentication',
    breaks: 'A body is requested only to be read, after authentication',
    patches: [
      {
        file: 'src/http/front-door.ts',
        find: '      framework(request, response);\n',
        put: '      if (request.headers.expect !== undefined) response.writeContinue();\n      framework(request, response);\n',
      },
    ],
    test: { file: requestsTest, name: 'asked without a key, nobody invites' },
    because: /AssertionError/,
  },
  {
    name: 'connections-in-use-are-cut',
    breaks: 'A connection that is in use is never cut',
    patches: [
      {
        file: connections,
        find: "phase !== 'sending' && response !== standing.response;",
        put: "phase !== 'sending' && response === null;",
      },
    ],
    test: { file: connectionsTest, name: 'never cuts a connection that is in use' },
    because: /AssertionError/,
  },
  {
    name: 'slow-bodies-hold-all-connections',
    breaks: 'Slow bodies make room if they hold all connections',
    patches: [{ file: connections, find: "  ['reading', 5_000],\n", put: '' }],
    test: { file: connectionsTest, name: 'those whose body comes slowly make room, but not at once' },
    because: /AssertionError/,
  },
  {
    name: 'pipelining-clients-are-cut',
    breaks: 'A client can pipeline requests for as long as it likes',
    patches: [
      {
        file: 'src/http/connection/pipelining.ts',
        find: '      socket[waiting] = (socket[waiting] ?? 1) - 1;\n',
        put: '',
      },
    ],
    test: {
      file: connectionsTest,
      name: 'takes more requests ahead than may wait, as long as responses come',
    },
    because: /AssertionError/,
  },
];
