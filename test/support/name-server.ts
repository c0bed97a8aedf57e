/**
 * A name server on a UDP port of 127.0.0.1 that returns what the test has set at that moment: addresses, an error, nothing. It implements
 * only as much of the protocol as a resolver needs.
 */
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** Addresses of both families, of which a query gets those of its family, or texts. */
export type NameAnswer =
  | readonly string[]
  | { readonly txt: readonly string[] }
  | 'no such name'
  | 'server failure'
  | 'refused'
  | 'silence';

export interface NameServer {
  /** For the resolver: address and port. */
  readonly server: string;
  /** Takes effect immediately. Names are case-insensitive. */
  set(name: string, answer: NameAnswer): void;
  /** How often a name was queried, counting both families. */
  queries(name: string): number;
  close(): Promise<void>;
}

const types: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };
const textType = 16;
const errorCodes = { 'server failure': 2, 'no such name': 3, refused: 5 } as const;

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const answers = new Map<string, NameAnswer>();
  const asked = new Map<string, number>();
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const answer = answers.get(name) ?? 'no such name';
    if (answer === 'silence') return;
    const family = types[type];
    const addresses = Array.isArray(answer) ? answer.filter((address) => isIP(address) === family) : [];
    const texts = typeof answer === 'object' && 'txt' in answer && type === textType ? answer.txt : [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? errorCodes[answer] : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length + texts.length, 6);
    const records = [
      ...addresses.map((address) => record(type, dataOf(address))),
      ...texts.map((text) => record(type, textData(text))),
    ];
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    set: (name, answer) => void answers.set(name.toLowerCase(), answer),
    queries: (name) => asked.get(name.toLowerCase()) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** The name as a pointer to the question, class IN, a TTL of 0. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]);
  return Buffer.concat([head, data]);
}

const dataOf = (address: string): Buffer =>
  Buffer.from(isIP(address) === 4 ? address.split('.').map(Number) : groupsOf(address));

/** A long text is split into strings of at most 255 bytes. */
const textData = (text: string): Buffer =>
  Buffer.concat(
    (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
      Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')]),
    ),
  );

function groupsOf(ipv6: string): number[] {
  const [left = '', right] = ipv6.split('::');
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: right === undefined ? 0 : 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}
