/** The contract of every destination kind (src/ports/destination-kind.ts), checked against a strict stand-in for its provider. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpCalls, type HttpCalls } from '../../src/adapters/destinations/http-call.js';
import { createUndiciOutbound } from '../../src/adapters/outbound/undici.js';
import type { KindName } from '../../src/contract/destination.js';
import { systemClock } from '../../src/kernel/clock.js';
import type { DestinationOf } from '../../src/model/destination.js';
import type { DestinationKind, SendResult, SubmissionEvent } from '../../src/ports/destination-kind.js';
import type { Outbound } from '../../src/ports/outbound.js';
import type { Provider } from '../support/fakes/provider.js';
import type { Answer } from '../support/receivers.js';
import { anEvent, dashboardLink } from '../support/submission-event.js';
import { judgesOf, onlyReceivers, shortMs } from './outbound-harness.js';

export interface KindHarness<Kind extends KindName> {
  start(): Promise<Provider>;
  make(deps: {
    readonly calls: HttpCalls;
    readonly outbound: Outbound;
    readonly timeoutMs: number;
    readonly origin: string;
    /** The submission that is being sent, as the store returns it. */
    readonly event: () => SubmissionEvent;
  }): DestinationKind<Kind>;
  /** A destination whose provider is at this origin. */
  destination(origin: string): DestinationOf<Kind>;
  /** Must never be visible. The provider knows all of them. */
  readonly secrets: readonly string[];
  /** What else an attempt that arrived reports. */
  readonly arrived: object;
  /** What users see of the request. */
  readonly shown: object;
  /** Statuses with which the provider refuses a message, and the resulting attempt. */
  readonly refusals: ReadonlyMap<number, object>;
  /** Statuses with which the provider could redirect. */
  readonly redirects: readonly number[];
  /** The attempt when the provider hangs, and when it does not exist. */
  readonly hanging: object;
  readonly absent: object;
  /** How the provider asks for a pause of seven seconds. Null when it has no way to. */
  readonly limited: Answer | null;
  /**
   * What the provider would make of the sent body besides text: links with their addresses, mentions, markup. A hostile submission must
   * give the same as a harmless one.
   */
  active(body: string): readonly string[];
  /** Accepts templates that are text. */
  readonly hasTextTemplates: boolean;
}

const unresponsive = (error: RegExp) => ({
  end: 'failed',
  status: null,
  error: expect.stringMatching(error),
  isUnresponsive: true,
});

/** What providers that speak HTTP have in common. */
export const overHttp = {
  arrived: { status: expect.any(Number), remoteAddress: '127.0.0.1' },
  shown: { method: 'POST', body: expect.stringMatching(/./) },
  refusals: new Map(
    [400, 401, 403, 404, 409, 429, 500, 502, 503].map((status) => [status, { end: 'failed', status }]),
  ),
  redirects: [301, 302, 303, 307, 308],
  hanging: unresponsive(/^timeout/),
  absent: unresponsive(/^connect_refused/),
  limited: { status: 429, headers: { 'Retry-After': '7' } },
} as const;

/** What a destination has besides kind and config. */
export const described = {
  id: '01937c0e-0000-7000-8000-00000000d001',
  projectId: '01937c0e-0000-7000-8000-000000000002',
  formId: null,
  name: 'Team chat',
  isActive: true,
  builtIn: false,
  filter: null,
  template: null,
  retryDelaysMs: null,
  createdAt: 0,
  updatedAt: 0,
} as const;

const hostileTexts: readonly string[] = [
  '@everyone @here @channel @all',
  '<!channel> <!here|here> <!everyone> <!subteam^S012345|x> <@U012345> <#C012345>',
  '<@123456789012345678> <@!123456789012345678> <@&123456789012345678> <#123456789012345678> <id:customize>',
  '<at>Everyone</at> <at id="0">Ada</at>',
  '@durov tg://user?id=1 <a href="tg://user?id=1">me</a>',
  '**a** *b* _c_ __d__ ~~e~~ ~f~ ||g|| ***h***',
  '`code` ``code`` ```\nblock\n```',
  '# one\n## two\n### three',
  '> quote\n>> more\n>>> all',
  '- one\n* two\n+ three\n1. four\n2) five',
  '-# small print',
  'Heading\n=======\nSecond\n---',
  '[text](https://evil.example/a) ![image](https://evil.example/b.png)',
  '<https://evil.example|text> <https://evil.example>',
  'https://evil.example/path?a=b#c http://evil.example HTTPS://EVIL.EXAMPLE',
  'evil.example www.evil.example/x discord.gg/abc t.me/abc',
  'mailto:eve@evil.example eve@evil.example tel:+15550100 +1 555 0100',
  '<t:0:R> <:smile:123456789012345678> :tada:',
  '#hashtag $USD /start /start@bot',
  '&lt;b&gt; &amp;amp; &#60;b&#62; &nbsp;',
  '<b>bold</b><script>alert(1)</script></code></pre><!-- x -->',
  '\\*a\\* \\[text\\](https://evil.example) \\\\*b*',
  'a backslash at the end \\',
  '{{DATE(2017-02-14T06:08:39Z, SHORT)}} {{TIME(2017-02-14T06:08:39Z)}} \u0024{name} @{body} {{fields.name}}',
  '=IMPORTXML("https://evil.example") +1 -1 @SUM(1)',
  '\u202egnp.exe \u2066x\u2069 \u200fy',
  'a\u0000b\u0007\u001b[31mred\u009b',
  'half \ud800 of a character \udc00',
  '\u200b',
  ' \t\u00a0\u3000 ',
  '',
  '\r\n\r\nX-Injected: yes\r\n\r\n',
  '\'"`</pre></code>\u0024{7*7}',
  '😀'.repeat(3_000),
  '<'.repeat(20_000),
  '\\'.repeat(20_000),
  'line\n'.repeat(5_000),
];

const anyName = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 20 }));
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2_000 }),
  fc.constantFrom(...hostileTexts),
  fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }), fc.nat({ max: 20_000 }))
    .map(([unit, times]) => unit.repeat(times)),
);
const anyFields = fc.oneof(
  fc.dictionary(anyName, fc.oneof(anyText, fc.jsonValue())),
  fc
    .tuple(fc.nat({ max: 1_000 }), anyName, anyText)
    .map(([count, name, value]) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, value.slice(0, 100)])),
    ),
  anyText.map((value) => ({ value: value.repeat(Math.floor(100_000 / Math.max(1, value.length))) })),
);

export interface KindRig<Kind extends KindName> {
  readonly provider: Provider;
  readonly kind: DestinationKind<Kind>;
  readonly destination: DestinationOf<Kind>;
  /** The kind with another provider origin or a shorter timeout. */
  made(more: { readonly origin?: string; readonly timeoutMs?: number }): DestinationKind<Kind>;
  send(event?: SubmissionEvent, by?: DestinationKind<Kind>, to?: DestinationOf<Kind>): Promise<SendResult>;
  /** The body of the last request. */
  sentBody(): string;
}

/** Call inside a describe. All its tests share a provider, which is honest at the start of each test. */
export function kindRig<Kind extends KindName>(harness: KindHarness<Kind>): KindRig<Kind> {
  let provider: Provider;
  let outbound: Outbound;
  let usual: DestinationKind<Kind>;
  let current = anEvent();

  beforeAll(async () => {
    outbound = createUndiciOutbound(judgesOf(onlyReceivers));
    provider = await harness.start();
    usual = made({});
  });
  beforeEach(() => provider.behave('honest'));
  afterAll(async () => {
    await outbound.close();
    await provider.close();
  });

  const made: KindRig<Kind>['made'] = ({ origin = provider.origin, timeoutMs = 20_000 }) => {
    const calls = createHttpCalls({
      outbound,
      clock: systemClock,
      timeoutMs,
      instanceMark: 'a-mark',
      userAgent: 'Inlet/test',
    });
    return harness.make({ calls, outbound, timeoutMs, origin, event: () => current });
  };
  /** Checks that nothing users may see of a result contains a secret. */
  const checked = (result: SendResult): SendResult => {
    const seen = JSON.stringify([result, result.request()]);
    for (const secret of harness.secrets) {
      expect(seen).not.toContain(secret);
      expect(seen).not.toContain(encodeURIComponent(secret));
    }
    return result;
  };
  const rig: KindRig<Kind> = {
    get provider() {
      return provider;
    },
    get kind() {
      return usual;
    },
    get destination() {
      return harness.destination(provider.origin);
    },
    made,
    send: async (event = anEvent(), by = rig.kind, to = rig.destination) => {
      const [prepared] = by.prepare(event, to);
      if (prepared === undefined) throw new Error('nothing was prepared');
      const { address, body } = prepared;
      current = event;
      return checked(
        await by.send(
          { id: 'd', submissionId: event.submission.id, url: address, body, attempt: 1, isRepeated: false },
          to,
          { secret: 'whsec_c2VjcmV0', previousSecret: null, previousSecretUntil: null },
        ),
      );
    },
    sentBody: () => String(provider.requests.at(-1)?.body),
  };
  return rig;
}

const delivered = { end: 'succeeded', error: null, retryAfterMs: null, isUnresponsive: false };

export function destinationKindContract<Kind extends KindName>(
  name: string,
  harness: KindHarness<Kind>,
): void {
  describe(`destination: ${name}`, () => {
    const rig = kindRig(harness);
    const { send, sentBody } = rig;

    it('delivers what the provider accepts', async () => {
      const result = await send(anEvent({ filenames: ['photo.png', 'cv.pdf'] }));
      expect(result).toMatchObject({ ...delivered, ...harness.arrived });
      expect(result.request()).toMatchObject(harness.shown);
      expect(sentBody()).toContain('Ada Lovelace');
    });

    it('delivers a submission without fields, of a form whose name is blank, as a test', async () => {
      expect(await send(anEvent({ fields: {}, formName: ' ', isTest: true }))).toMatchObject(delivered);
    });

    it('prepares the same for the same submission, and sends the same bytes at every attempt', async () => {
      expect(rig.kind.prepare(anEvent(), rig.destination)).toEqual(
        rig.kind.prepare(anEvent(), rig.destination),
      );
      await send();
      const first = sentBody();
      rig.provider.behave({ status: 500 });
      await send();
      expect(sentBody()).toBe(first);
    });

    it('shows no secret in the address, nor in the origin', () => {
      const seen = JSON.stringify([
        rig.kind.prepare(anEvent(), rig.destination),
        rig.kind.originOf(rig.destination),
      ]);
      for (const secret of harness.secrets) expect(seen).not.toContain(secret);
    });

    it.each(harness.limited ? [harness.limited] : [])(
      'waits as long as the provider asks',
      async (limited) => {
        rig.provider.behave(limited);
        expect(await send()).toMatchObject({ end: 'failed', status: 429, retryAfterMs: 7_000 });
      },
    );

    it.each([...harness.refusals])('does not call a status of %i a success', async (status, ended) => {
      rig.provider.behave({ status, body: 'no' });
      expect(await send()).toMatchObject({ ...ended, error: expect.stringMatching(/^[^\p{Cc}]+$/u) });
    });

    it.each(harness.redirects)('follows no redirect (%i)', async (status) => {
      rig.provider.behave({ status, headers: { Location: `${rig.provider.origin}/elsewhere` } });
      const before = rig.provider.requests.length;
      expect(await send()).toMatchObject({ end: 'failed', status });
      expect(rig.provider.requests.slice(before).map(({ path }) => path)).not.toContain('/elsewhere');
    });

    it('gives up a provider that hangs', async () => {
      rig.provider.behave('hangs');
      expect(await send(anEvent(), rig.made({ timeoutMs: shortMs }))).toMatchObject(harness.hanging);
    });

    it('survives a provider that is not there', async () => {
      const gone = await harness.start();
      await gone.close();
      const by = rig.made({ origin: gone.origin });
      expect(await send(anEvent(), by, harness.destination(gone.origin))).toMatchObject(harness.absent);
    });

    it('shows no secret that the provider repeats', async () => {
      rig.provider.behave('echoes');
      const { error, response } = await send();
      expect(`${error} ${response}`).toContain(rig.provider.requests.at(-1)?.method);
    });

    it.each([
      ['nothing', ''],
      ['a page', '<html>\u0000<h1>Error</h1></html>'],
      ['deep JSON', '['.repeat(4_000)],
      ['null', 'null'],
      ['other types', '{"ok":1,"code":"x","retry_after":{},"parameters":7,"description":[],"error":[]}'],
    ])('understands a provider that says %s', async (_, body) => {
      for (const [status, ended] of harness.refusals) {
        rig.provider.behave({ status, body });
        expect(await send()).toMatchObject(ended);
      }
    });

    it.each(hostileTexts)('takes %j as text', async (hostile) => {
      const event = (value: string, field: string): SubmissionEvent =>
        anEvent({
          fields: { [field]: value, list: [value, { [field]: value }] },
          labels: { list: value },
          filenames: [value],
        });
      expect(await send(event('harmless', 'field'))).toMatchObject(delivered);
      const harmless = harness.active(sentBody());
      expect(await send(event(hostile, hostile))).toMatchObject(delivered);
      expect(harness.active(sentBody())).toEqual(harmless);
    });

    it.each(harness.hasTextTemplates ? hostileTexts : [])(
      'takes %j as text in a template',
      async (hostile) => {
        const template = 'New lead: {}\n{}, {}!';
        expect(await send(anEvent({ fields: { a: 'harmless' }, template }))).toMatchObject(delivered);
        const harmless = harness.active(sentBody());
        expect(harmless.join(' ')).toContain(dashboardLink);
        expect(await send(anEvent({ fields: { a: hostile }, template }))).toMatchObject(delivered);
        expect(harness.active(sentBody())).toEqual(harmless);
      },
    );

    it('stays within the limits of the provider, whatever is submitted', async () => {
      const parts = fc.record({
        fields: anyFields,
        formName: anyName,
        projectName: anyName,
        filenames: fc.array(anyName, { maxLength: 30 }),
        isTest: fc.boolean(),
      });
      const labelled = (fields: object, label: string) =>
        Object.fromEntries(Object.keys(fields).map((name) => [name, label]));
      await fc.assert(
        fc.asyncProperty(parts, fc.option(anyName), async (some, label) => {
          const labels = label === null ? {} : labelled(some.fields, label);
          expect(await send(anEvent({ ...some, labels }))).toMatchObject(delivered);
        }),
        { numRuns: 40 },
      );
    });

    if (!harness.hasTextTemplates) return;
    it('stays within them with any template', async () => {
      const parts = fc.record({
        fields: anyText.map((a) => ({ a })),
        template: fc.oneof(
          anyText,
          anyText.map((text) => `${text.slice(0, 100)}{}`.repeat(30)),
        ),
      });
      await fc.assert(
        fc.asyncProperty(parts, async (some) => {
          expect(await send(anEvent(some))).toMatchObject(delivered);
        }),
        { numRuns: 40 },
      );
    });
  });
}
