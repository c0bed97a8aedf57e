/** Name resolution, and the guard: nothing is written to an address that the judge refuses. */
import { describe, expect, it } from 'vitest';
import { judgeResolvedAddress } from '../../src/domain/webhooks/address-policy.js';
import * as zoo from '../support/receivers.js';
import { hook, isFault, type OutboundHarness, onlyReceivers, policyOf } from './outbound-harness.js';

export function guardSuite(harness: OutboundHarness): void {
  describe('names', () => {
    it('finds a receiver by its name, in any spelling', async () => {
      const receiver = await harness.started(zoo.startAnswering());
      harness.names.set('receiver.test', ['127.0.0.1']);
      for (const host of ['receiver.test', 'RECEIVER.test', 'receiver.test.']) {
        expect(await harness.outbound.send(hook(`http://${host}:${receiver.port}/`))).toMatchObject({
          status: 200,
        });
      }
    });

    it('takes the next address when one refuses', async () => {
      const receiver = await harness.started(zoo.startAnswering());
      const both = harness.sender(policyOf({ networks: ['127.0.0.1', '127.0.0.3', '::1'] }));
      harness.names.set('receiver.test', ['127.0.0.3', '::1', '127.0.0.1']);
      const result = await both.send(hook(`http://receiver.test:${receiver.port}/`));
      expect(result).toMatchObject({ status: 200, remoteAddress: '127.0.0.1' });
    });

    it.each(['no such name', 'server failure', 'refused', 'silence'] as const)(
      'ends at a name server with: %s',
      async (answer) => {
        harness.names.set('receiver.test', answer);
        const result = await harness.outbound.send(hook('http://receiver.test/', { timeoutMs: 10_000 }));
        expect(result).toMatchObject(isFault('dns_error'));
        expect(result.detail).toContain('receiver.test');
        expect(harness.names.queries('receiver.test')).toBeGreaterThan(0);
      },
    );

    it('ends at its own deadline, also while a name server is silent', async () => {
      harness.names.set('receiver.test', 'silence');
      const result = await harness.outbound.send(hook('http://receiver.test/', { timeoutMs: 50 }));
      expect(result).toMatchObject(isFault('dns_error'));
    });

    it('judges a thousand answers', async () => {
      const receiver = await harness.started(zoo.startAnswering());
      const wide = harness.sender(policyOf({ networks: ['127.0.0.1/32', '127.1.0.0/16'] }));
      const many = Array.from({ length: 1_000 }, (_, n) => `127.1.${n >> 8}.${n & 255}`);
      harness.names.set('many.test', [...many, '127.0.0.2']);
      expect(await wide.send(hook(`http://many.test:${receiver.port}/`))).toMatchObject(
        isFault('blocked_address'),
      );
      harness.names.set('many.test', ['127.0.0.1', ...many]);
      expect(await wide.send(hook(`http://many.test:${receiver.port}/`))).toMatchObject({ status: 200 });
    });
  });

  describe('the guard', () => {
    /** The forbidden receiver listens on a forbidden address, on the same port as the allowed one. */
    async function allowedAndForbidden(): Promise<{ allowed: zoo.Receiver; forbidden: zoo.Receiver }> {
      const allowed = await harness.started(zoo.startAnswering({ headers: { Connection: 'close' } }));
      const forbidden = await harness.started(
        zoo.startAnswering({}, { address: '127.0.0.2', port: allowed.port }),
      );
      return { allowed, forbidden };
    }

    it.each([
      'http://127.0.0.2/',
      'http://127.2/',
      'http://2130706434/',
      'http://0x7f000002/',
      'http://0177.0.0.2/',
      'http://[::ffff:127.0.0.2]/',
      'http://[::1]/',
      'http://0.0.0.0/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[fe80::1]/',
      'http://[64:ff9b::7f00:2]/',
      'ftp://example.com/',
      'not a url',
    ])('refuses %s', async (url) => {
      expect(await harness.outbound.send(hook(url))).toMatchObject({
        ...isFault('blocked_address'),
        remoteAddress: null,
      });
    });

    it('judges a literal even if the judge of URLs has let it pass', async () => {
      const { forbidden } = await allowedAndForbidden();
      const lax = harness.sender(onlyReceivers, { judgeUrl: () => null });
      for (const host of ['127.0.0.2', '127.2', '[::ffff:7f00:2]']) {
        const result = await lax.send(hook(`http://${host}:${forbidden.port}/`));
        expect(result).toMatchObject(isFault('blocked_address'));
      }
      expect(forbidden.connections()).toBe(0);
    });

    it.each([
      ['an inside address', ['127.0.0.2']],
      ['a metadata address', ['169.254.169.254']],
      ['an allowed and an inside address', ['127.0.0.1', '127.0.0.2']],
      ['an inside address in the other family', ['127.0.0.1', 'fd00::1']],
      ['a mapped address', ['::ffff:7f00:2']],
      ['an address wrapped for translation', ['64:ff9b::7f00:1']],
      ['the unspecified address', ['0.0.0.0']],
    ])('refuses a name that resolves to %s', async (_what, addresses) => {
      const { allowed, forbidden } = await allowedAndForbidden();
      harness.names.set('inside.test', addresses);
      const result = await harness.outbound.send(hook(`http://inside.test:${allowed.port}/`));
      expect(result).toMatchObject({ ...isFault('blocked_address'), remoteAddress: null });
      expect(result.detail).toBe('inside.test resolves to an address that is not allowed');
      expect([allowed.connections(), forbidden.connections()]).toEqual([0, 0]);
    });

    it('tells the operator where a refused name leads, once a minute, and its owner never', async () => {
      const told: string[] = [];
      const sender = harness.sender(onlyReceivers, { onBlocked: (why) => told.push(why) });
      harness.names.set('inside.test', ['10.1.2.3']);
      for (let i = 0; i < 3; i += 1) {
        const result = await sender.send(hook('http://inside.test/'));
        expect(JSON.stringify(result)).not.toContain('10.1.2.3');
      }
      expect(told).toEqual([
        'inside.test: 10.1.2.3 is not a public address; allow it with WEBHOOK_ALLOWED_NETWORKS',
      ]);
    });

    it('refuses a name that has moved inside between two sends', async () => {
      const { allowed, forbidden } = await allowedAndForbidden();
      const url = `http://moving.test:${allowed.port}/`;
      harness.names.set('moving.test', ['127.0.0.1']);
      expect(await harness.outbound.send(hook(url))).toMatchObject({ status: 200 });
      harness.names.set('moving.test', ['127.0.0.2']);
      expect(await harness.outbound.send(hook(url))).toMatchObject(isFault('blocked_address'));
      expect([allowed.requests.length, forbidden.connections()]).toEqual([1, 0]);
    });

    it('connects to the address that was judged, whatever the name says by then', async () => {
      const { allowed, forbidden } = await allowedAndForbidden();
      const policy = policyOf({ networks: ['127.0.0.1/32'] });
      const moving = harness.sender(policy, {
        judgeAddress: (destination, address) => {
          harness.names.set('moving.test', ['127.0.0.2']);
          return judgeResolvedAddress(policy, destination, address);
        },
      });
      harness.names.set('moving.test', ['127.0.0.1']);
      const result = await moving.send(hook(`http://moving.test:${allowed.port}/`));
      expect(result).toMatchObject({ status: 200, remoteAddress: '127.0.0.1' });
      expect(forbidden.connections()).toBe(0);
    });

    it('writes nothing when the connected socket is refused', async () => {
      const { allowed } = await allowedAndForbidden();
      let judged = 0;
      const changing = harness.sender(onlyReceivers, {
        judgeAddress: () => {
          judged += 1;
          return judged === 1 ? null : 'not any more';
        },
      });
      expect(await changing.send(hook(allowed.url))).toMatchObject(isFault('blocked_address'));
      expect(allowed.requests).toEqual([]);
    });

    it('lets an allowed name resolve inside, but never to a metadata address', async () => {
      const { forbidden } = await allowedAndForbidden();
      const named = harness.sender(policyOf({ hosts: ['n8n.test'] }));
      harness.names.set('n8n.test', ['127.0.0.2']);
      expect(await named.send(hook(`http://n8n.test:${forbidden.port}/`))).toMatchObject({ status: 200 });
      harness.names.set('n8n.test', ['169.254.169.254']);
      await forbidden.close();
      expect(await named.send(hook(`http://n8n.test:${forbidden.port}/`))).toMatchObject(
        isFault('blocked_address'),
      );
    });

    describe('own endpoints', () => {
      const networks = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

      it('are refused by address and port, whatever is allowed, and nothing is written to them', async () => {
        const { allowed, forbidden } = await allowedAndForbidden();
        const other = await harness.started(zoo.startAnswering({}, { address: '127.0.0.2' }));
        const own = [{ host: '127.0.0.2', port: forbidden.port, by: 'any-address' as const }];
        const guarded = harness.sender(policyOf({ networks, hosts: ['opened.test'], own }));
        for (const name of ['opened.test', 'back.test']) harness.names.set(name, ['127.0.0.2']);
        for (const host of ['127.0.0.2', 'opened.test', 'back.test']) {
          const result = await guarded.send(hook(`http://${host}:${forbidden.port}/`));
          expect(result, host).toMatchObject(isFault('blocked_address'));
          expect(await guarded.send(hook(`http://${host}:${other.port}/`)), host).toMatchObject({
            status: 200,
          });
        }
        // On the same machine: the endpoint may listen on this address, too.
        expect(await guarded.send(hook(allowed.url))).toMatchObject(isFault('blocked_address'));
        expect([forbidden.connections(), allowed.connections()]).toEqual([0, 0]);
      });

      it('are refused wherever their names lead', async () => {
        const { allowed, forbidden } = await allowedAndForbidden();
        harness.names.set('db.test', ['127.0.0.2']);
        const own = [{ host: 'db.test', port: forbidden.port, by: 'any-address' as const }];
        const guarded = harness.sender(policyOf({ networks, own }));
        for (const host of ['127.0.0.2', 'db.test', 'DB.test.']) {
          const result = await guarded.send(hook(`http://${host}:${forbidden.port}/`));
          expect(result, host).toMatchObject(isFault('blocked_address'));
        }
        // On the same machine: the endpoint may listen on this address, too.
        expect(await guarded.send(hook(allowed.url))).toMatchObject(isFault('blocked_address'));
        expect([forbidden.connections(), allowed.connections()]).toEqual([0, 0]);
        // Cached for a minute, so that frequent senders do not resolve it each time.
        expect(harness.names.queries('db.test')).toBeLessThanOrEqual(2);
      });

      it('whose names were never looked up may be at any inside address, and hold nobody else up', async () => {
        const receiver = await harness.started(zoo.startAnswering());
        const elsewhere = await harness.started(zoo.startAnswering());
        harness.names.set('db.test', 'server failure');
        const own = [{ host: 'db.test', port: receiver.port, by: 'any-address' as const }];
        const guarded = harness.sender(policyOf({ networks, own }));
        for (const host of ['127.0.0.1', 'db.test']) {
          const result = await guarded.send(hook(`http://${host}:${receiver.port}/`));
          expect(result, host).toMatchObject(isFault('blocked_address'));
        }
        expect(receiver.connections()).toBe(0);
        expect(await guarded.send(hook(elsewhere.url))).toMatchObject({ status: 200 });
      });
    });

    it.each(['localhost', 'hooks.localhost', 'LOCALHOST.'])('asks no name server for %s', async (host) => {
      const { allowed } = await allowedAndForbidden();
      harness.names.set('localhost', ['127.0.0.2']);
      harness.names.set('hooks.localhost', ['127.0.0.2']);
      const url = `http://${host}:${allowed.port}/`;
      // One of its addresses is allowed, and is used.
      expect(await harness.outbound.send(hook(url))).toMatchObject({
        status: 200,
        remoteAddress: '127.0.0.1',
      });
      expect(harness.names.queries('localhost') + harness.names.queries('hooks.localhost')).toBe(0);
    });

    it('takes no notice of a proxy in the environment', async () => {
      const proxy = await harness.started(zoo.startAnswering({ body: 'proxy' }));
      const before = { ...process.env };
      Object.assign(process.env, { HTTP_PROXY: proxy.url, http_proxy: proxy.url, ALL_PROXY: proxy.url });
      try {
        expect(await harness.sendTo(zoo.startAnswering({ body: 'direct' }))).toMatchObject({
          response: 'direct',
        });
      } finally {
        for (const key of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
          if (before[key] === undefined) delete process.env[key];
          else process.env[key] = before[key];
        }
      }
      expect(proxy.connections()).toBe(0);
    });
  });
}
