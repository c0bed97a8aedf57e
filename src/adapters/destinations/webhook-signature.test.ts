/** The vectors were generated with another implementation (Python's hmac). docs/guides/webhook-request.md publishes them. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../domain/webhooks/secret.js';
import { signedHeaders } from './webhook-signature.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const previousSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const messageId = '01890a5d-ac96-774b-bcce-b302099a8057';
const submissionId = '01890a5d-ac95-774b-bcce-b302099a8057';
const now = 1_735_689_600_999;
const alone = { secret, previousSecret: null, previousSecretUntil: null };

const vectors = [
  {
    body: '{"event":"submission.created"}',
    hex: 'sha256=bd4a345472d3eedc1b5e6c3edb21788606f514a25c7a9618a8e36aa63b28796a',
    standard: 'v1,kbX+YpLwm/PtER7Wl0jNCPloDmu3GasqrPmwub2/66Y=',
    previousHex: 'sha256=7799d0ee97631a1d63921c7aa41fd5378e232ffdb88356848a2b75506d0239ef',
    previousStandard: 'v1,8JCZ14uusbEOMBWDFWnO1yXFuSm82GLxBCR+P/LOrkk=',
  },
  {
    body: '{"name":"Zoë 🌍 日本","amount":1.0}',
    hex: 'sha256=794eddbccc1e5b97821ddeea440d07e2d525c8ad58252066397a5fc5c80a4819',
    standard: 'v1,ypaJqDb0eJeksDJZcVj1G6sbbgLC3LHpwi3ouu/OvW0=',
    previousHex: 'sha256=b6de304ed68795a48d20dfd9cd78d5f75950abb65493b18a4d3f619d41308dec',
    previousStandard: 'v1,L2RAPWxSwDPGonxkdKy/MaD1PBuY3v3gdvT6sUR7h3M=',
  },
  {
    body: '',
    hex: 'sha256=da5f5865984e699a69cfec62ce49a76daf8ae4601b54a781fa13f3b2d3b2088a',
    standard: 'v1,FL3kgoZx4t20b0C/TG/IS2xqYl0u8Y0rHTJ/4yTY3xQ=',
    previousHex: 'sha256=5d3e487bab0818bb987d1da693fc7b12fc14fe92ea7f131fa2e4aa4df793247d',
    previousStandard: 'v1,iyCpPcKqLoUVd1PrOKexY+owE1W83XPSsSMQH4pe4j4=',
  },
];

const messageOf = (body: string, attempt = 1) => ({ messageId, submissionId, attempt, body });

describe('signedHeaders', () => {
  it.each(vectors)('signs $body as the vectors say', ({ body, hex, standard }) => {
    expect(signedHeaders(messageOf(body, 3), alone, now)).toEqual({
      'content-type': 'application/json',
      'x-webhook-signature': hex,
      'x-webhook-attempt': '3',
      'x-submission-id': submissionId,
      'webhook-id': messageId,
      'webhook-timestamp': '1735689600',
      'webhook-signature': standard,
    });
  });

  it.each(vectors)('signs $body with the previous secret too, until it ends', (vector) => {
    const both = { secret, previousSecret, previousSecretUntil: now + 1 };
    expect(signedHeaders(messageOf(vector.body), both, now)).toMatchObject({
      'x-webhook-signature': vector.hex,
      'x-webhook-signature-previous': vector.previousHex,
      'webhook-signature': `${vector.standard} ${vector.previousStandard}`,
    });
    expect(signedHeaders(messageOf(vector.body), both, now + 1)).toEqual(
      signedHeaders(messageOf(vector.body), alone, now + 1),
    );
  });

  it('has its vectors in the documentation', () => {
    const text = readFileSync(new URL('../../../docs/guides/webhook-request.md', import.meta.url), 'utf8');
    for (const { body, hex, standard } of vectors.slice(0, 2)) {
      for (const part of [body, hex, standard]) expect(text).toContain(part);
    }
    for (const part of [secret, messageId, '1735689600']) expect(text).toContain(part);
  });

  it('is verified by the standardwebhooks package, with either secret while both sign', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (body) => {
        const [current, old] = [newWebhookSecret(), newWebhookSecret()];
        const at = Date.now();
        const secrets = { secret: current, previousSecret: old, previousSecretUntil: at + 1_000 };
        const headers = signedHeaders(messageOf(body), secrets, at);
        for (const key of [current, old]) {
          expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(body));
        }
        expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow();
        expect(() => new Webhook(current).verify(`${body} `, headers)).toThrow();
        const single = signedHeaders(messageOf(body), { ...secrets, previousSecretUntil: at }, at);
        expect(() => new Webhook(old).verify(body, single)).toThrow();
      }),
      { numRuns: 50 },
    );
  });

  it('takes a secret that is no base64 as the bytes it is', () => {
    const own = { ...alone, secret: 'whsec_not base64 ü' };
    const signature = createHmac('sha256', own.secret).update(`${messageId}.1735689600.{}`).digest('base64');
    expect(signedHeaders(messageOf('{}'), own, now)['webhook-signature']).toBe(`v1,${signature}`);
  });
});
