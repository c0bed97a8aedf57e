/** Many clients at once that start a request and take their time. Their addresses come from X-Forwarded-For. */
import { request } from './client.js';
import { waitUntil } from './kept.js';
import { openRaw, type RawAnswer, type RawConnection, requestHead } from './raw.js';
import type { RunningServer } from './server.js';

/** Trusts every address that a test makes up, and has an API rate limit that no test reaches. */
export const crowdServer = {
  env: { TRUST_PROXY: 'loopback', API_RATE_LIMIT_PER_MINUTE: '1000000' },
};

export interface CrowdRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly declaredBytes: number;
  /** Sent together with the head. */
  readonly start: string | Buffer;
}

export interface Crowd {
  readonly members: readonly RawConnection[];
  answers(): readonly RawAnswer[];
  /** Each sends this many bytes every quarter of a second, until it gets a response. */
  drip(bytes: number, members?: readonly RawConnection[]): void;
  vanish(): void;
}

const dripMs = 250;

/** One client per address. */
export async function openCrowd(
  server: RunningServer,
  addresses: readonly string[],
  { method = 'POST', path, headers, declaredBytes, start }: CrowdRequest,
): Promise<Crowd> {
  const members = await Promise.all(addresses.map(() => openRaw(server.port)));
  for (const [index, member] of members.entries()) {
    const length = `Content-Length: ${declaredBytes}`;
    member.write(requestHead(method, path, [...headers, length, `X-Forwarded-For: ${addresses[index]}`]));
    member.write(start);
  }
  const timers: NodeJS.Timeout[] = [];
  return {
    members,
    answers: () => members.flatMap((member) => member.answers()),
    drip(bytes, dripping = members) {
      const piece = Buffer.alloc(bytes, 'x');
      const send = (): void => {
        for (const member of dripping) if (member.received() === '') member.write(piece);
      };
      timers.push(setInterval(send, dripMs));
    },
    vanish() {
      for (const timer of timers) clearInterval(timer);
      for (const member of members) member.vanish();
    },
  };
}

/** `perNetwork` clients in each of `networks` /24 networks, all at one address of it. */
export const addressesIn = (networks: number, perNetwork: number): readonly string[] =>
  Array.from({ length: networks * perNetwork }, (_, i) => `198.18.${i % networks}.1`);

/** One of the numbers in /metrics. */
export async function metric(server: RunningServer, name: string): Promise<number> {
  const { text } = await request(`${server.url}/metrics`);
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`There is no ${name}`);
  return Number(value);
}

export const uploadsIn = async (server: RunningServer): Promise<{ reading: number; waiting: number }> => ({
  reading: await metric(server, 'inlet_uploads_reading'),
  waiting: await metric(server, 'inlet_uploads_waiting'),
});

/** Waits until all of them have started their first file. */
export const untilBegun = (server: RunningServer, uploads: number): Promise<void> =>
  waitUntil(async () => {
    const { reading, waiting } = await uploadsIn(server);
    return reading + waiting >= uploads;
  }, 30_000);
