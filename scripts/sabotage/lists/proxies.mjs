/** Sabotages of the shipped proxy configurations, and of how proxies, PostgreSQL, Redis and S3 handle hostile requests. */
const nginx = 'deploy/nginx.conf';
const streams = 'test/deploy/proxies-streams.test.ts';
const hostile = 'test/cluster/hostile.test.ts';
const addresses = 'test/deploy/proxies-addresses.test.ts';

export const proxies = [
  {
    name: 'nginx-limits-uploads',
    breaks: 'Behind a proxy, an upload that is too large gets an error that scripts can read',
    patches: [{ file: nginx, find: 'client_max_body_size 0;', put: 'client_max_body_size 26m;' }],
    test: { file: streams, name: 'uploads are limited by Inlet, at its number and in its words' },
    because: /AssertionError|not valid JSON/,
  },
  {
    name: 'nginx-spools-downloads',
    breaks: 'A slow client does not fill the disk of the proxy',
    patches: [{ file: nginx, find: '    proxy_max_temp_file_size 0;\n', put: '' }],
    test: {
      file: streams,
      name: 'a long response waits for its reader and is not written to the disk of the proxy',
    },
    because: /temporary file/,
  },
  {
    name: 'caddy-keeps-left-streams',
    breaks: 'Behind a proxy, a stream ends when its client leaves',
    patches: [
      {
        file: 'deploy/Caddyfile',
        find: 'health_timeout 2s\n',
        put: 'health_timeout 2s\n\t\tflush_interval -1\n',
      },
    ],
    test: { file: streams, name: 'events arrive at once, and a page that is left frees its place at once' },
    because: /expected 429 to be 200/,
  },
  {
    name: 'nginx-export-timeout',
    breaks: 'A proxy waits for an export that sends nothing yet',
    patches: [{ file: nginx, find: '        proxy_read_timeout 600s;\n', put: '' }],
    test: {
      file: streams,
      name: 'nginx waits for an export that is silent longer than anything else may be, and keeps no connection too long',
    },
    because: /AssertionError/,
  },
  {
    name: 'visitor-chooses-address',
    breaks: 'Behind a proxy, visitors cannot choose their address',
    patches: [{ file: nginx, find: '    proxy_set_header X-Forwarded-For $remote_addr;\n', put: '' }],
    test: { file: addresses, name: 'limits, blocks and the sandbox go by that address' },
    because: /AssertionError/,
  },
  {
    name: 'searches-take-all-connections',
    breaks: 'Searches of one tenant leave PostgreSQL connections for everyone else',
    patches: [
      {
        file: 'src/kernel/concurrency.ts',
        find: '    if (this.#used >= this.max || mine >= this.maxPerKey) return null;\n',
        put: '',
      },
    ],
    test: {
      file: hostile,
      services: true,
      name: 'searches of one tenant, however slow, leave connections for everybody else',
    },
    because: /AssertionError/,
  },
  {
    name: 'greedy-key-first',
    breaks: 'Waiting long reads alternate between tenants',
    patches: [
      {
        file: 'src/kernel/concurrency.ts',
        find: '      this.#queues.delete(key);\n      this.#queues.set(key, queue);\n',
        put: '',
      },
    ],
    test: {
      file: 'src/kernel/concurrency.test.ts',
      name: 'lets the keys take turns: one that asks without end delays another by one piece',
    },
    because: /AssertionError/,
  },
  {
    name: 'unindexed-fails-search',
    breaks: 'A submission that cannot be indexed does not break search',
    patches: [
      {
        file: 'src/domain/submissions/service.ts',
        find: 'if (!(error instanceof StoreUnavailable || error instanceof StoreFull)) throw error;',
        put: 'if (error instanceof StoreUnavailable || !(error instanceof StoreFull)) throw error;',
      },
    ],
    test: {
      file: hostile,
      services: true,
      name: 'a submission that cannot be indexed keeps nobody from searching',
    },
    because: /AssertionError/,
  },
  {
    name: 'all-words-indexed',
    breaks: 'One visitor cannot keep the search index busy',
    patches: [
      {
        file: 'src/adapters/sql/postgres/search.ts',
        find: 'isCareful ? fewWords : maxWords;',
        put: 'isCareful ? fewWords : maxWords * 100;',
      },
    ],
    test: {
      file: hostile,
      services: true,
      name: 'a submission of nothing but different words is indexed by its first ones, as a thick book',
    },
    because: /AssertionError/,
  },
  {
    name: 'url-counted-in-letters',
    breaks: 'No webhook URL makes submissions fail on PostgreSQL',
    patches: [
      {
        file: 'src/http/validation.ts',
        find: 'if (Buffer.byteLength(text) > maxUrlBytes) return false;',
        put: '',
      },
    ],
    test: {
      file: hostile,
      services: true,
      name: 'a webhook URL is never longer than the index of the queue takes, in any alphabet',
    },
    because: /AssertionError/,
  },
];
