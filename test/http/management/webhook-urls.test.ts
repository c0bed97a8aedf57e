/** Which addresses a webhook may have when it is saved: decisions 6, "Inside addresses". */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';

let inside: RunningServer;
let outside: RunningServer;
beforeAll(async () => {
  [inside, outside] = await Promise.all([
    startServer(),
    startServer({
      env: {
        BASE_URL: 'https://inlet.example',
        WEBHOOK_ALLOWED_NETWORKS: '10.20.0.0/16,fd12::/16,hooks.internal',
      },
    }),
  ]);
});
afterAll(() => Promise.all([inside.dispose(), outside.dispose()]));

/** Link-local and metadata addresses, in every spelling that a URL parser normalizes to them: never allowed. */
const never = [
  'http://169.254.169.254/latest/meta-data/',
  'http://169.254.1.1/',
  'http://2852039166/',
  'http://0xA9FEA9FE/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://169.254.169.254./',
  'http://１６９.254.169.254/',
];

const loopback = [
  'http://127.0.0.1:9000/hook',
  'http://127.8.8.8/',
  'http://localhost:9000/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://api.localhost/',
  'http://[::1]:9000/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
];

const privateNetworks = [
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'https://192.168.1.1:8443/hook',
  'http://3232235777/',
  'http://0xc0.0xa8.1.1/',
  'http://[fd00::1]/',
  'http://[::ffff:10.0.0.1]/',
];

const otherwiseInside = [
  'http://0.0.0.0/',
  'http://100.64.0.1/',
  'http://192.0.2.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[ff02::1]/',
];

const publicTargets = [
  'https://hooks.example.com/inlet',
  'http://hooks.example.com:8080/a?b=c',
  'https://93.184.216.34/',
  'https://172.32.0.1/',
  'https://[2606:2800:220:1:248:1893:25c8:1946]/',
  'https://bücher.example/hook',
];

const allowedByName = [
  'http://10.20.30.40/',
  'http://169083944/',
  'http://[fd12::7]/',
  'http://hooks.internal/',
  'http://HOOKS.internal:81/',
];

const settings = (server: () => RunningServer) => {
  let api: Client;
  let made: MadeForm;
  beforeAll(async () => {
    api = client(server().url);
    made = await makeForm(server().url);
  });
  const everywhere = async (url: string) => [
    await api.post('/api/v1/projects', { name: 'P', webhook_url: url }),
    await api.patch(`/api/v1/projects/${made.projectId}`, { webhook_url: url }),
    await api.post(`/api/v1/projects/${made.projectId}/forms`, { name: 'F', webhook_url: url }),
    await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: url }),
  ];
  return {
    async takes(url: string) {
      const answers = await everywhere(url);
      expect(answers.map((answer) => answer.status)).toEqual([201, 200, 201, 200]);
      expect(answers[1]?.body.webhook_url).toBe(url);
      expect(answers[3]?.body.webhook_url).toBe(url);
    },
    async refuses(url: string, why: RegExp) {
      for (const answer of await everywhere(url)) {
        expectFaults(answer, ['webhook_url']);
        expect(answer.body.details[0].message).toMatch(why);
      }
    },
  };
};

describe('with a loopback BASE_URL', () => {
  const { takes, refuses } = settings(() => inside);
  it.each([...publicTargets, ...loopback, ...privateNetworks])('takes %s', (url) => takes(url));
  it.each(never)('never takes %s', (url) => refuses(url, /link-local|metadata/));
});

describe('with a public BASE_URL', () => {
  const { takes, refuses } = settings(() => outside);
  it.each(publicTargets)('takes %s', (url) => takes(url));
  it.each([...loopback, ...privateNetworks, ...otherwiseInside])('refuses %s and says why', (url) =>
    refuses(url, /not a public address/),
  );
  it.each(never)('never takes %s', (url) => refuses(url, /link-local|metadata/));
  it.each(allowedByName)('takes %s, which WEBHOOK_ALLOWED_NETWORKS names', (url) => takes(url));
  it.each(['http://10.21.0.1/', 'http://[fd13::7]/'])('refuses %s, which lies beside', (url) =>
    refuses(url, /not a public address/),
  );
});

describe('WEBHOOK_ALLOWED_NETWORKS', () => {
  it('cannot open link-local and metadata addresses', async () => {
    const wide = await startServer({
      env: { BASE_URL: 'https://inlet.example', WEBHOOK_ALLOWED_NETWORKS: '0.0.0.0/0,::/0' },
    });
    const api = client(wide.url);
    const opened = await api.post('/api/v1/projects', { name: 'P', webhook_url: 'http://127.0.0.1/' });
    expect(opened.status).toBe(201);
    for (const url of never)
      expectFaults(await api.post('/api/v1/projects', { name: 'P', webhook_url: url }), ['webhook_url']);
    await wide.dispose();
  });
});

it('makes every link from BASE_URL, never from the Host header', async () => {
  const { endpoint, publicId } = await makeForm(outside.url);
  expect(endpoint).toBe(`https://inlet.example/f/${publicId}`);
});
