import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { messageOf, withoutAddresses } from './error-text.js';

it('is the message, or what was thrown', () => {
  expect(messageOf(new Error('no'))).toBe('no');
  expect(messageOf('plain')).toBe('plain');
  expect(messageOf(new AggregateError([new Error('a')], 'all failed'))).toBe('all failed');
});

it.each([
  ['550 5.1.1 <Ann.Bell+x@example.com>: Recipient rejected', '550 5.1.1 <***>: Recipient rejected'],
  ["550 'ann@example.com' and bo@münchen.example,", "550 '***' and ***,"],
  ['550 5.7.1 relay denied @ noon', '550 5.7.1 relay denied @ noon'],
])('can be told without addresses: %s', (text, told) => {
  expect(withoutAddresses(text)).toBe(told);
});

it('names every address that a connection failed at', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const lookup = (_name: string, _options: unknown, callback: (error: null, found: object[]) => void) =>
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  const socket = connect({ host: 'database', port, lookup: lookup as never, autoSelectFamily: true });
  const error = await new Promise((resolve) => socket.once('error', resolve));
  expect(messageOf(error)).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
  expect(messageOf(error)).toContain('::1');
});
