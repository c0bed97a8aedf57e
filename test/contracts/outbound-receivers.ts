/** How a sender handles receivers, good and bad, and their certificates. */
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Identity, selfSigned } from '../support/certificate.js';
import * as zoo from '../support/receivers.js';
import { hook, isFault, type OutboundHarness, onlyReceivers, shortMs } from './outbound-harness.js';

export function receiverSuite(harness: OutboundHarness): void {
  describe('a receiver that behaves', () => {
    it('gets the bytes as they are, with the headers of the caller', async () => {
      const receiver = await harness.started(zoo.startAnswering({ status: 201, body: 'thanks ✓' }));
      const body = JSON.stringify({ text: 'Zoë ✓ \u{1F600} \u0000', long: 'x'.repeat(200_000) });
      const result = await harness.outbound.send(
        hook(`${receiver.url}?a=1&b=%20`, {
          body,
          headers: { 'X-Webhook-Attempt': '2', 'Accept-Encoding': 'gzip' },
        }),
      );
      expect(result).toMatchObject({ status: 201, fault: null, detail: null, response: 'thanks ✓' });
      expect(result.remoteAddress).toBe('127.0.0.1');
      const [request] = receiver.requests;
      expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1&b=%20' });
      expect(request?.body.toString()).toBe(body);
      expect(request?.headers.get('x-webhook-attempt')).toBe('2');
      expect(request?.headers.get('accept-encoding')).toBe('identity');
      expect(request?.headers.get('host')).toBe(`127.0.0.1:${receiver.port}`);
      expect(request?.headers.has('user-agent')).toBe(true);
    });

    it('says how long the phases took', async () => {
      const receiver = await harness.started(zoo.startAnswering());
      harness.names.set('receiver.test', ['127.0.0.1']);
      const { timings } = await harness.outbound.send(hook(`http://receiver.test:${receiver.port}/`));
      const { dnsMs, connectMs, firstByteMs, totalMs } = timings;
      const phases = [dnsMs, connectMs, firstByteMs].map((ms) => ms ?? Number.NaN);
      expect(phases.every((ms) => ms >= 0)).toBe(true);
      expect(totalMs).toBeGreaterThanOrEqual(phases.reduce((sum, ms) => sum + ms) - 1);
    });

    it.each([400, 404, 410, 429, 500, 503])(
      'may answer %i: the status is told, it is no fault',
      async (status) => {
        const result = await harness.sendTo(zoo.startAnswering({ status, body: 'no' }));
        expect(result).toMatchObject({ status, fault: null, response: 'no' });
      },
    );

    it('is sent an empty body as such', async () => {
      const receiver = await harness.started(zoo.startAnswering());
      await harness.outbound.send(hook(receiver.url, { body: '' }));
      expect(receiver.requests[0]?.headers.get('content-length')).toBe('0');
    });

    it.each(['GET', 'PUT'] as const)('gets a %s', async (method) => {
      const receiver = await harness.started(zoo.startAnswering({ body: 'ok' }));
      for (let n = 0; n < 2; n += 1) {
        const result = await harness.outbound.send(hook(receiver.url, { method, body: 'content' }));
        expect(result).toMatchObject({ status: 200, response: 'ok' });
      }
      const bodies = receiver.requests.map((request) => [request.method, request.body.toString()]);
      expect(bodies).toEqual(Array.from({ length: 2 }, () => [method, method === 'GET' ? '' : 'content']));
    });

    it.each(['7', 'Wed, 21 Oct 2026 07:28:00 GMT', 'soon'])(
      'may ask to be left alone for a while: %s',
      async (value) => {
        const limited = zoo.startAnswering({ status: 429, headers: { 'Retry-After': value } });
        expect(await harness.sendTo(limited)).toMatchObject({ status: 429, retryAfter: value });
      },
    );

    it('need not say how long', async () => {
      expect(await harness.sendTo(zoo.startAnswering({ status: 503 }))).toMatchObject({ retryAfter: null });
      expect(await harness.outbound.send(hook(await zoo.refusingUrl()))).toMatchObject({ retryAfter: null });
    });

    it('is heard for as long as was asked for, and no character is cut in half', async () => {
      const text = `a${'é'.repeat(100_000)}`;
      const receiver = await harness.started(zoo.startAnswering({ body: text }));
      const ask = (maxResponseBytes: number) =>
        harness.outbound.send(hook(receiver.url, { method: 'GET', maxResponseBytes }));
      expect(await ask(200_001)).toMatchObject({ status: 200, response: text });
      expect(await ask(300_000)).toMatchObject({ status: 200, response: text });
      expect(await ask(150_000)).toMatchObject({ status: 200, response: `a${'é'.repeat(74_999)}` });
      expect(await ask(10)).toMatchObject({ status: 200, response: 'aéééé' });
    });

    it('is heard to 4 KiB, and no character is cut in half', async () => {
      const result = await harness.sendTo(zoo.startAnswering({ body: `a${'é'.repeat(5_000)}` }));
      expect(result.response).toBe(`a${'é'.repeat(2_047)}`);
    });

    it('may send what is no UTF-8', async () => {
      const result = await harness.sendTo(
        zoo.startAnswering({ body: Buffer.from([0x61, 0xff, 0xfe, 0x62]) }),
      );
      expect(result.response).toBe('a\ufffd\ufffdb');
    });

    it('may answer early, with interim answers before', async () => {
      const result = await harness.sendTo(
        zoo.startSaying(`HTTP/1.1 102 Processing\r\n\r\n${zoo.answerBytes({ body: 'ok' })}`),
      );
      expect(result).toMatchObject({ status: 200, response: 'ok' });
    });

    it('is reached many times at once', async () => {
      const receiver = await harness.started(zoo.startAnswering((request) => ({ body: request.body })));
      const bodies = Array.from({ length: 100 }, (_, n) => `body ${n}`);
      const results = await Promise.all(
        bodies.map((body) => harness.outbound.send(hook(receiver.url, { body }))),
      );
      expect(results.map((result) => result.response)).toEqual(bodies);
    });
  });

  describe('a receiver that does not', () => {
    it('refuses', async () => {
      expect(await harness.outbound.send(hook(await zoo.refusingUrl()))).toMatchObject(
        isFault('connect_refused'),
      );
    });

    it('never comes to an end: each has an outcome at the deadline, and a status that came stays', async () => {
      const greeting = zoo.startHanging().then((receiver) => ({
        ...receiver,
        url: receiver.url.replace('http:', 'https:'),
      }));
      const halfCharacter = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok ✓').subarray(0, -1);
      const [hangs, head, interim, tls, body, half] = await Promise.all(
        [
          zoo.startHanging(),
          zoo.startDrippingHead(),
          zoo.startEndlessInterim(20),
          greeting,
          zoo.startDrippingBody(),
          zoo.startSaying(halfCharacter),
        ].map((starting) => harness.sendTo(starting, shortMs)),
      );
      expect(hangs).toMatchObject(isFault('timeout'));
      expect(head).toMatchObject(isFault('timeout'));
      expect(interim).toMatchObject(isFault('timeout'));
      expect(tls).toMatchObject(isFault('connect_timeout'));
      expect(body).toMatchObject({
        status: 200,
        fault: null,
        response: expect.stringMatching(/^first;x*$/),
      });
      // A text that ends in the middle of a character shows no broken one.
      expect(half).toMatchObject({ status: 200, fault: null, response: 'ok ' });
    });

    it('closes before it responds', async () => {
      expect(await harness.sendTo(zoo.startClosing())).toMatchObject(isFault('reset'));
    });

    it('resets in the middle of the head', async () => {
      const saying = zoo.startSaying('HTTP/1.1 200 OK\r\nX-Half: ', 'reset');
      expect(await harness.sendTo(saying)).toMatchObject(isFault('reset'));
    });

    it('closes in the middle of the head', async () => {
      const saying = zoo.startSaying('HTTP/1.1 200 OK\r\nX-Half: ', 'end');
      expect(await harness.sendTo(saying)).toMatchObject(isFault('reset'));
    });

    it.each(['reset', 'end'] as const)(
      'breaks off in the middle of the body (%s): its status stays',
      async (how) => {
        const saying = zoo.startSaying('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', how);
        expect(await harness.sendTo(saying)).toMatchObject({ status: 200, fault: null, response: 'half' });
      },
    );

    it('sends a body without end: no more is read than allowed, the status stays', async () => {
      let pouring: Socket | undefined;
      const endless = zoo.startEndlessBody((socket) => {
        pouring = socket;
      });
      const result = await harness.sendTo(endless);
      expect(result).toMatchObject({ status: 200, fault: null, response: 'x'.repeat(4096) });
      // What both ends buffer. By the deadline, an unbounded reader would take far more.
      expect(pouring?.bytesWritten).toBeLessThan(32 * 1024 * 1024);
    });

    it('sends a chunk with an extension without end: the status stays', async () => {
      const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5';
      const result = await harness.sendTo(zoo.startEndless(head, `;${'x'.repeat(1023)}`));
      expect(result).toMatchObject({ status: 200, fault: null, response: '' });
    });

    it('sends a gzip bomb: nothing is inflated', async () => {
      const { status, response } = await harness.sendTo(zoo.startGzipBomb());
      expect(status).toBe(200);
      expect(response).not.toContain('xxxxxxxx');
      expect(Buffer.from(response ?? '').length).toBeLessThan(3 * 4096);
    });

    it('sends a megabyte of headers', async () => {
      expect(await harness.sendTo(zoo.startHeaderFlood())).toMatchObject(
        isFault('response_headers_too_large'),
      );
    });

    it.each([
      ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'],
      ['a reason phrase', 'HTTP/1.1 200 ', 'O'.repeat(1024)],
    ])('sends %s without end, as fast as it can', async (_what, head, piece) => {
      expect(await harness.sendTo(zoo.startEndless(head, piece))).toMatchObject(
        isFault('response_headers_too_large'),
      );
    });

    it.each([
      ['HTTP/0.9', '<html>hello</html>'],
      ['another protocol', '220 mail.example.com ESMTP\r\n'],
      ['a status that is none', 'HTTP/1.1 20x OK\r\n\r\n'],
      ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
      ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      [
        'an upgrade that nobody asked for',
        'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      ],
    ])('speaks %s', async (_what, bytes) => {
      expect(await harness.sendTo(zoo.startSaying(bytes))).toMatchObject(isFault('invalid_response'));
    });

    it('sends a body with 204: the status stands, and the next send is not answered by that body', async () => {
      const smuggled = zoo.answerBytes({ status: 299, body: 'smuggled' });
      const receiver = await harness.started(zoo.startSaying(`HTTP/1.1 204 No Content\r\n\r\n${smuggled}`));
      for (let n = 0; n < 3; n += 1) {
        expect(await harness.outbound.send(hook(receiver.url))).toMatchObject({ status: 204, response: '' });
      }
    });

    it.each([301, 302, 303, 307, 308])('redirects with %i: nobody goes there', async (status) => {
      const inside = await harness.started(zoo.startAnswering({ body: 'secret' }));
      const result = await harness.sendTo(zoo.startRedirecting(inside.url, status));
      expect(result).toMatchObject({ status, fault: null });
      expect(inside.connections()).toBe(0);
    });
  });

  describe('TLS', () => {
    let identity: Identity;
    beforeAll(() => {
      identity = selfSigned('receiver.test');
    });
    const secure = async (): Promise<zoo.Receiver> => {
      harness.names.set('receiver.test', ['127.0.0.1']);
      harness.names.set('other.test', ['127.0.0.1']);
      return harness.started(zoo.startAnswering({ body: 'safe' }, { tls: identity }));
    };

    it('reaches a receiver whose certificate is trusted, by its name', async () => {
      const receiver = await secure();
      const trusting = harness.sender(onlyReceivers, { certificateAuthorities: [identity.cert] });
      const result = await trusting.send(hook(`https://receiver.test:${receiver.port}/`));
      expect(result).toMatchObject({
        status: 200,
        fault: null,
        response: 'safe',
        remoteAddress: '127.0.0.1',
      });
      expect(receiver.requests[0]?.headers.get('host')).toBe(`receiver.test:${receiver.port}`);
    });

    it.each(['https://other.test', 'https://127.0.0.1'])(
      'refuses a certificate for another name than %s',
      async (origin) => {
        const receiver = await secure();
        const trusting = harness.sender(onlyReceivers, { certificateAuthorities: [identity.cert] });
        expect(await trusting.send(hook(`${origin}:${receiver.port}/`))).toMatchObject(isFault('tls_error'));
        expect(receiver.requests).toEqual([]);
      },
    );

    it('refuses a self-signed certificate', async () => {
      const receiver = await secure();
      const result = await harness.outbound.send(hook(`https://receiver.test:${receiver.port}/`));
      expect(result).toMatchObject(isFault('tls_error'));
      expect(receiver.requests).toEqual([]);
    });

    it('meets a receiver that speaks something else', async () => {
      expect(await harness.sendTo(zoo.startTlsGarbage())).toMatchObject(isFault('tls_error'));
    });
  });
}
