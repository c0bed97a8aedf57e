import { describe, expect, it } from 'vitest';
import { type OwnEndpoint, OwnEndpoints } from './own-endpoints.js';

const own = (...endpoints: OwnEndpoint[]): OwnEndpoints =>
  new OwnEndpoints(() => new Set(['192.168.1.5', 'fd00::5']), endpoints);
const by = 'any-address' as const;

describe('an endpoint with an address', () => {
  it('is that address and port', () => {
    const it = own({ host: '10.0.0.3', port: 5432, by });
    expect(it.isAt('10.0.0.3', 5432)).toBe(true);
    expect([it.isAt('10.0.0.3', 5433), it.isAt('10.0.0.4', 5432)]).toEqual([false, false]);
  });

  it.each([
    ...['0.0.0.0', '::', '[::]'],
    ...['127.0.0.1', '127.0.0.2', 'localhost', 'LOCALHOST.', '[::1]', 'db.localhost'],
  ])('on %s is every address of this machine', (host) => {
    const it = own({ host, port: 3000, by });
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '192.168.1.5', 'fd00::5', '0.0.0.0', '::']) {
      expect(it.isAt(address, 3000), address).toBe(true);
    }
    expect([it.isAt('192.168.1.6', 3000), it.isAt('127.0.0.1', 3001)]).toEqual([false, false]);
    expect(it.namesAt(3000)).toEqual([]);
  });
});

describe('an endpoint with a name', () => {
  it('is what it is called, in any spelling, at its port', () => {
    const it = own({ host: 'Forms.Example.com.', port: 443, by: 'none' });
    expect([it.isNamed('forms.example.com', 443), it.isNamed('forms.example.com', 80)]).toEqual([
      true,
      false,
    ]);
    expect(it.isNamed('example.com', 443)).toBe(false);
  });

  it('is each address that the name has now', () => {
    const it = own({ host: 'db', port: 5432, by }, { host: 'db', port: 6432, by });
    expect([it.namesAt(5432), it.namesAt(80)]).toEqual([['db'], []]);
    it.learn('db', ['10.0.0.3', '93.184.216.34']);
    expect([5432, 6432, 80].map((port) => it.isAt('10.0.0.3', port))).toEqual([true, true, false]);
    expect(it.isAt('93.184.216.34', 5432)).toBe(true);
    it.learn('db', ['127.0.0.1']);
    expect([it.isAt('10.0.0.3', 5432), it.isAt('::1', 5432)]).toEqual([false, true]);
    expect(it.isAt('192.168.1.5', 5432)).toBe(true);
  });

  it('may be any inside address, while it is not known which', () => {
    const it = own({ host: 'db', port: 5432, by });
    const found = (): boolean[] => ['10.0.0.3', '127.0.0.1', '93.184.216.34'].map((ip) => it.isAt(ip, 5432));
    expect(found()).toEqual([false, false, false]);
    it.learn('db', null);
    expect(found()).toEqual([true, true, false]);
    expect(it.isAt('10.0.0.3', 80)).toBe(false);
    it.learn('db', ['10.0.0.3']);
    expect(found()).toEqual([true, false, false]);
  });

  it('is not the public address that it shares with others, where only inside ones count', () => {
    const it = own({ host: 's3.example.com', port: 443, by: 'inside-address' });
    it.learn('s3.example.com', ['104.16.0.1', '10.0.0.9']);
    expect([it.isAt('104.16.0.1', 443), it.isAt('10.0.0.9', 443)]).toEqual([false, true]);
  });

  it('is no address where only the name counts', () => {
    const it = own({ host: 'forms.example.com', port: 443, by: 'none' });
    it.learn('forms.example.com', ['10.0.0.3']);
    expect([it.namesAt(443), it.isAt('10.0.0.3', 443)]).toEqual([[], false]);
  });
});
