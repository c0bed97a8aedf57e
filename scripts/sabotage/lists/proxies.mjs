/** Sabotages of the proxy files that are shipped, and of what proxies, PostgreSQL, Redis and S3 make of hostile requests. */
const nginx = 'deploy/nginx.conf';
const streams = 'test/deploy/proxies-streams.test.ts';
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
    breaks: 'A slow reader does not fill the disk of the proxy',
    patches: [{ file: nginx, find: '    proxy_max_temp_file_size 0;\n', put: '' }],
    test: {
      file: streams,
      name: 'a long response waits for its reader and is not written to the disk of the proxy',
    },
    because: /temporary file/,
  },
  {
    name: 'caddy-keeps-left-streams',
    breaks: 'Behind a proxy, a stream ends when its reader leaves',
    patches: [
      {
        file: 'deploy/Caddyfile',
        find: 'health_timeout 3s\n',
        put: 'health_timeout 3s\n\t\tflush_interval -1\n',
      },
    ],
    test: { file: streams, name: 'events arrive at once, and a page that is left frees its place at once' },
    because: /AssertionError/,
  },
  {
    name: 'nginx-export-timeout',
    breaks: 'A proxy waits for an export that is silent',
    patches: [{ file: nginx, find: '        proxy_read_timeout 600s;\n', put: '' }],
    test: {
      file: streams,
      name: 'nginx waits for an export that is silent longer than anything else may be, and keeps no connection too long',
    },
    because: /AssertionError/,
  },
  {
    name: 'visitor-chooses-address',
    breaks: 'Behind a proxy, visitors do not choose the address that they are known by',
    patches: [{ file: nginx, find: '    proxy_set_header X-Forwarded-For $remote_addr;\n', put: '' }],
    test: { file: addresses, name: 'limits, blocks and the sandbox go by that address' },
    because: /AssertionError/,
  },
];
