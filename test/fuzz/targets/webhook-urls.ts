/**
 * Webhook URLs, saved as a form's. A URL with an internal address is rejected, however it is spelled, and an accepted one never reaches a
 * listener on this machine. The server has a public address that is not this machine, so no internal address is allowed. Submissions are
 * made only for names that lead to this machine: nothing is ever sent outside.
 */

import { lookup } from 'node:dns/promises';
import { BlockList, createServer, isIP } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play, Sent } from '../engine.js';
import { exchange } from '../exchange.js';
import { mutateText, oddText, pick, sometimes } from '../mutate.js';
import { jsonIn } from '../rules.js';
import type { World } from '../world.js';

const hosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0x7f.1',
  '127.0.0.1.',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::7f00:1]',
  '[0:0:0:0:0:0:0:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fe80::1%25lo]',
  '[fd00:ec2::254]',
  '[fc00::1]',
  '[ff02::1]',
  '[::ffff:169.254.169.254]',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  'ⓛocalhost',
  'local\u00adhost',
  'ip6-localhost',
  'IP6-loopback',
  'hooks.example.com',
  'xn--bcher-kva.example',
  'a..b',
  '-a-.example',
  `${'a.'.repeat(126)}example`,
];

const lookupMs = 2_000;

const shapes: readonly ((host: string, port: number) => string)[] = [
  (host, port) => `http://${host}:${port}/`,
  (host, port) => `HTTP://${host}:${port}`,
  (host, port) => `http:\\\\${host}:${port}/`,
  (host, port) => `http:/${host}:${port}/`,
  (host, port) => `http:${host}:${port}/`,
  (host, port) => `http://hooks.example.com:${port}@${host}:${port}/`,
  (host, port) => `http://${host}:${port}#@hooks.example.com/`,
  (host, port) => `http://hooks.example.com\\@${host}:${port}/`,
  (host, port) => `ht\ntp://${host}:${port}/`,
  (host, port) => ` http://${host}:${port}/ `,
  (host, port) => `http://${host}:0${port}/`,
  (host, port) => `https://${host}:${port}/?a=b`,
  (host, port) => `ftp://${host}:${port}/`,
  (host, port) => `//${host}:${port}/`,
];

/** Written from the registries (RFC 6890 and those it names), independently of the product. */
/** Two lists: in a shared one, `::ffff:0:0/96` would match every IPv4 address. */
const inside = { 4: new BlockList(), 6: new BlockList() } as const;
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  inside[4].addSubnet(address, bits, 'ipv4');
for (const [address, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  inside[6].addSubnet(address, bits, 'ipv6');

/** An IPv4 address embedded in an IPv6 one is allowed if the IPv4 address is. */
const carrier = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

function isInside(host: string): boolean {
  const [, high, low] = carrier.exec(host) ?? [];
  if (high !== undefined && low !== undefined) {
    const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return inside[4].check(`${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`, 'ipv4');
  }
  const family = isIP(host);
  if (family === 0) return /^(?:.*\.)?localhost$/.test(host);
  return family === 4 ? inside[4].check(host, 'ipv4') : inside[6].check(host, 'ipv6');
}

/** Which of these names lead to this machine or to another internal address, as this machine is configured. */
async function namesThatLeadInside(names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of names) {
    const late = delay(lookupMs, [], { ref: false });
    const addresses = await Promise.race([lookup(name, { all: true }).catch(() => []), late]);
    if (addresses.length > 0 && addresses.every(({ address }) => isInside(address))) found.add(name);
  }
  return found;
}

const bareHost = (url: string): string =>
  new URL(url).hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

function generate(chance: Chance, port: number): FuzzCase {
  const ours = [...hosts, hostname()];
  const url = pick(chance, shapes.slice(0, sometimes(chance, 0.6) ? 1 : shapes.length))(
    pick(chance, ours),
    port,
  );
  const broken = sometimes(chance, 0.5)
    ? url
    : sometimes(chance, 0.9)
      ? mutateText(chance, url)
      : oddText(chance);
  return plainCase({
    method: 'POST',
    path: '/api/v1/projects/{{project}}/forms',
    headers: ['Authorization: Bearer {{key}}', 'Content-Type: application/json'],
    body: Buffer.from(JSON.stringify({ name: 'Hook', webhook_url: broken })),
  });
}

export interface HookPlay extends Play {
  close(): Promise<void>;
}

export async function webhookUrls(world: World): Promise<HookPlay> {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) =>
    listener.listen(0, '::', resolve).once('error', () => listener.listen(0, resolve)),
  );
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const leadHere = await namesThatLeadInside(['ip6-localhost', 'ip6-loopback', hostname().toLowerCase()]);
  const tried = new Map<string, number>();

  /** Makes a submission and waits for every attempt of its delivery. */
  const deliver = async (formId: string, publicId: string): Promise<string | null> => {
    const body = Buffer.from('{"a":1}');
    const headers = ['Content-Type: application/json'];
    await exchange(world.port, plainCase({ method: 'POST', path: `/f/${publicId}`, headers, body }), 30_000);
    for (const until = Date.now() + 30_000; Date.now() < until; ) {
      const { body: page } = await world.api.get(`/api/v1/forms/${formId}/deliveries?limit=1`);
      if (page.data[0]?.state === 'failed') return null;
      if (page.data[0]?.state === 'delivered') return 'inside: a webhook got through';
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return 'inside: a delivery did not end';
  };

  const judge = async ({ fuzzCase, seen }: Sent): Promise<string | null> => {
    const [answer] = seen.answers;
    if (answer?.status !== 201) return connections === 0 ? null : `inside: ${connections} connections`;
    const { webhook_url: url } = JSON.parse(fuzzCase.body.toString('utf8'));
    const { id, public_id: publicId } = jsonIn(answer) as { id: string; public_id: string };
    const stored = await world.api.get(`/api/v1/forms/${id}`);
    if (stored.body.webhook_url !== url) return `meaning: ${stored.body.webhook_url} is not ${url}`;
    if (url === null) return null;
    const host = bareHost(url);
    if (isInside(host)) return `inside: ${JSON.stringify(url)} was accepted`;
    // A few per name: all attempts of one take half a second.
    const times = tried.get(host) ?? 0;
    if (leadHere.has(host) && times < 3 && new URL(url).port === String(port)) {
      tried.set(host, times + 1);
      const fault = await deliver(id, publicId);
      if (fault !== null) return `${fault} to ${JSON.stringify(url)}`;
    }
    return connections === 0 ? null : `inside: ${connections} connections after ${JSON.stringify(url)}`;
  };

  return {
    name: 'webhook-urls',
    atOnce: 12,
    generate: (chance) => generate(chance, port),
    judge,
    account(before, after, batch) {
      const made = batch.filter(({ seen }) => seen.answers[0]?.status === 201).length;
      const grown = (after.forms ?? 0) - (before.forms ?? 0);
      return grown === made ? null : `kept: ${grown} forms where ${made} were told`;
    },
    close: () => new Promise((resolve) => listener.close(() => resolve())),
  };
}
