import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGoogleSheets } from '../../src/adapters/destinations/google-sheets/google-sheets.js';
import { createUndiciOutbound } from '../../src/adapters/outbound/undici.js';
import { systemClock } from '../../src/kernel/clock.js';
import { newId } from '../../src/kernel/ids.js';
import { checkCredentials } from '../../src/kernel/service-account.js';
import type { DestinationOf } from '../../src/model/destination.js';
import type { StoredFile } from '../../src/model/file.js';
import type { DestinationKind, SendResult, SubmissionEvent } from '../../src/ports/destination-kind.js';
import type { Outbound } from '../../src/ports/outbound.js';
import { type Cell, type FakeGoogle, startGoogleSheets } from '../support/fakes/google-sheets.js';
import { aForm, aProject, aStoredFile, aSubmission, someTime } from '../support/nouns.js';
import { described, destinationKindContract, overHttp } from './destination-kind.js';
import { judgesOf, onlyReceivers, shortMs } from './outbound-harness.js';

type Kind = DestinationKind<'google_sheets'>;
type Sheet = DestinationOf<'google_sheets'>;

const title = "Ada's Leads!";
const fixed = ['Submission', 'Submitted at'];
const submittedAt = '2026-01-31T12:00:00.007Z';

/** The suite's server, once it has started. */
let suites: FakeGoogle | undefined;
const suite = (): FakeGoogle => {
  if (suites === undefined) throw new Error('it has not started');
  return suites;
};

destinationKindContract('google_sheets', {
  ...overHttp,
  async start() {
    const started = await startGoogleSheets();
    suites ??= started;
    return started;
  },
  make: ({ outbound, timeoutMs, origin }) =>
    createGoogleSheets({ outbound, clock: systemClock, timeoutMs, apiUrl: origin }),
  destination: () => ({
    ...described,
    kind: 'google_sheets',
    config: { credentials: suite().credentials, spreadsheet_id: suite().spreadsheetId, sheet: title },
  }),
  get secrets() {
    const { privateKey, tokens } = suites ?? { privateKey: '', tokens: [] };
    return [...privateKey.split('\n').slice(1, -2), ...tokens];
  },
  active: () =>
    suite()
      .cells()
      .flat()
      .flatMap((cell) => (cell === null || typeof cell === 'string' ? [] : [JSON.stringify(cell)])),
  hasTextTemplates: false,
});

function eventOf(data: string | object, files: readonly StoredFile[] = []): SubmissionEvent {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return {
    form: aForm(),
    project: aProject(),
    submission: aSubmission({ data: text }),
    files,
    isTest: false,
    body: () => '{}',
    fields: () => JSON.parse(text),
    link: 'https://inlet.example/submission',
    fileLink: (id) => `https://inlet.example/files/${id}`,
    renderText: () => null,
    renderJson: () => null,
    once: (_, make) => make(),
  };
}

describe('google_sheets', () => {
  let google: FakeGoogle;
  let outbound: Outbound;
  let kind: Kind;
  let sheet: Sheet;
  let passedMs = 0;
  const clock = { now: () => Date.now() + passedMs };

  /** As in another process: it shares only the spreadsheet with the first. */
  const aKind = (timeoutMs = 20_000): Kind =>
    createGoogleSheets({ outbound, clock, timeoutMs, apiUrl: google.origin });
  const withConfig = (more: Partial<Sheet['config']>): Sheet => ({
    ...sheet,
    config: { ...sheet.config, ...more },
  });

  beforeEach(async () => {
    passedMs = 0;
    google = await startGoogleSheets(clock);
    outbound = createUndiciOutbound(judgesOf(onlyReceivers));
    kind = aKind();
    sheet = {
      id: newId(someTime),
      projectId: newId(someTime),
      formId: null,
      name: 'Leads',
      isActive: true,
      builtIn: false,
      kind: 'google_sheets',
      config: { credentials: google.credentials, spreadsheet_id: google.spreadsheetId, sheet: title },
      filter: null,
      template: null,
      retryDelaysMs: null,
      createdAt: 0,
      updatedAt: 0,
    };
  });
  afterEach(async () => {
    await outbound.close();
    await google.close();
  });

  /** Checks that nothing users see of a result contains a secret. */
  const checked = (result: SendResult): SendResult => {
    const seen = JSON.stringify([result, result.request()]);
    for (const secret of [google.privateKey, google.privateKey.split('\n')[3] ?? '', ...google.tokens])
      expect(seen).not.toContain(secret);
    expect(seen).not.toMatch(/eyJ[\w-]{20}/);
    return result;
  };
  const send = async (
    event: SubmissionEvent,
    { by = kind, to = sheet, isRepeated = false } = {},
  ): Promise<SendResult> => {
    const [prepared] = by.prepare(event, to);
    if (prepared === undefined) throw new Error('nothing was prepared');
    return checked(
      await by.send(
        {
          id: newId(someTime),
          submissionId: event.submission.id,
          url: prepared.address,
          body: prepared.body,
          attempt: isRepeated ? 2 : 1,
          isRepeated,
        },
        to,
        { secret: 'whsec_c2VjcmV0', previousSecret: null, previousSecretUntil: null },
      ),
    );
  };
  const delivered = { end: 'succeeded', error: null, status: 200, retryAfterMs: null, isUnresponsive: false };
  const operationsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = google.operations.length;
    await work();
    return google.operations.slice(before);
  };
  /** The rows below the header, by column name. */
  const records = (): Record<string, Cell>[] => {
    const [header = [], ...rows] = google.cells();
    return rows.map((row) =>
      Object.fromEntries(header.flatMap((name, at) => (row[at] ? [[String(name), row[at]]] : []))),
    );
  };

  describe('a row', () => {
    it('has id, time, fields in their order, and links to files; the header follows them', async () => {
      const file = aStoredFile({ filename: 'cv.pdf' });
      const event = eventOf('{"name":"Ada","2":true,"1":null,"tags":["a","b"],"deep":{"x":[1]}}', [file]);
      expect(kind.prepare(event, sheet)).toMatchObject([{ address: `${google.spreadsheetId}/${title}` }]);
      expect(await operationsOf(() => send(event))).toEqual(['token', 'header', 'grid', 'columns', 'append']);
      expect(google.cells()).toEqual([
        [...fixed, 'name', '2', '1', 'tags', 'deep', 'Files'],
        [
          event.submission.id,
          submittedAt,
          'Ada',
          'true',
          '',
          'a, b',
          '{"x":[1]}',
          `cv.pdf: https://inlet.example/files/${file.id}`,
        ],
      ]);
    });

    it('is one request while token and header are known', async () => {
      expect(await send(eventOf({ a: '1' }))).toMatchObject(delivered);
      expect(await operationsOf(() => send(eventOf({ a: '2' })))).toEqual(['append']);
      expect(records().map(({ a }) => a)).toEqual(['1', '2']);
    });

    it.each([
      '=1+1',
      '=IMPORTXML("https://evil.example")',
      '+1 555 0100',
      '-1',
      '@SUM(A1)',
      "'quoted",
      "'=1+1",
      '007',
      '1e3',
      'TRUE',
      '2026-01-01',
      '\t=1',
      ' ',
    ])('keeps %j as the text that it is, as a value and as a name', async (text) => {
      expect(await send(eventOf({ [text]: text }))).toMatchObject(delivered);
      const [header = [], row = []] = google.cells();
      expect(header[2]).toBe(text.trim() || '(no name)');
      expect(row[2]).toBe(text);
    });

    it('keeps the digits of numbers', async () => {
      await send(eventOf('{"amount":1.0,"big":12345678901234567890}'));
      expect(google.cells()[1]?.slice(2)).toEqual(['1.0', '12345678901234567890']);
    });

    it('has names of ours for its own columns only', async () => {
      await send(eventOf({ Submission: 'x', 'Submitted at': 'y', Files: 'z', More: 'm' }));
      expect(google.cells()[0]).toEqual([
        ...fixed,
        'Submission (field)',
        'Submitted at (field)',
        'Files (field)',
        'More (field)',
      ]);
    });

    it('takes what the API would reject', async () => {
      const hostile = `half \ud800, NUL \0, ${'😀'.repeat(40_000)}`;
      expect(
        await send(eventOf({ [`\0${'n'.repeat(300)}`]: hostile, 'a  b': '1', 'a b': '2' })),
      ).toMatchObject(delivered);
      expect(google.cells()[0]?.slice(3)).toEqual(['a b', 'a b (2)']);
      expect(google.cells()[1]?.slice(3)).toEqual(['1', '2']);
      expect(google.cells()[1]?.[2]).toMatch(/^half \ufffd, NUL \ufffd, (😀)+…$/u);
    });
  });

  describe('the header', () => {
    it('grows beyond the columns that the sheet has', async () => {
      const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, `v${n}`]));
      expect(await send(eventOf(many))).toMatchObject(delivered);
      expect(google.cells()[0]).toHaveLength(32);
      expect(records()[0]).toMatchObject(many);
    });

    it('may be reordered and renamed, and have columns of its owner', async () => {
      await send(eventOf({ a: '1', b: '2' }));
      google.edit((its) => {
        // Notes, b, Submission, "First" (was a), Submitted at
        its.rows = its.rows.map(([id = null, at = null, a = null, b = null]) => [null, b, id, a, at]);
        its.rows[0] = ['Notes', 'b', 'Submission', 'First', 'Submitted at'];
      });
      passedMs += 11_000;
      const event = eventOf({ a: '3', b: '4', c: '5' });
      expect(await send(event)).toMatchObject(delivered);
      expect(google.cells()[0]).toEqual(['Notes', 'b', 'Submission', 'First', 'Submitted at', 'a', 'c']);
      expect(google.cells()[2]).toEqual([null, '4', event.submission.id, null, submittedAt, '3', '5']);
    });

    it('is read again when a row does not fit it', async () => {
      await send(eventOf({ a: '1' }));
      expect(await operationsOf(() => send(eventOf({ b: '2' })))).toEqual([
        'header',
        'grid',
        'columns',
        'append',
      ]);
      expect(records()[1]).toMatchObject({ b: '2' });
      google.edit((its) => its.rows[0]?.push('c'));
      expect(await operationsOf(() => send(eventOf({ c: '3' })))).toEqual(['header', 'append']);
      expect(records()[2]).toMatchObject({ c: '3' });
    });

    it('loses nothing when two processes add columns at the same time', async () => {
      await send(eventOf({ a: '1' }));
      google.gather('columns', 2);
      const results = await Promise.all([
        send(eventOf({ x: 'of x' }), { by: aKind() }),
        send(eventOf({ y: 'of y' }), { by: aKind() }),
      ]);
      expect(results).toMatchObject([delivered, delivered]);
      expect([...(google.cells()[0] ?? [])].sort()).toEqual([...fixed, 'a', 'x', 'y']);
      const rows = records().slice(1);
      expect(rows).toContainEqual(expect.objectContaining({ x: 'of x' }));
      expect(rows).toContainEqual(expect.objectContaining({ y: 'of y' }));
      expect(rows.map((row) => Object.keys(row).length)).toEqual([3, 3]);
    });

    it('loses nothing when a process adds columns for many submissions at once', async () => {
      const fields = Array.from({ length: 8 }, (_, n) => ({ [`f${n}`]: `v${n}` }));
      for (const result of await Promise.all(fields.map((one) => send(eventOf(one)))))
        expect(result).toMatchObject(delivered);
      for (const one of fields) expect(records()).toContainEqual(expect.objectContaining(one));
    });

    it('gets a column again that its owner deleted', async () => {
      await send(eventOf({ a: '1' }));
      await send(eventOf({ b: '2' }));
      google.edit((its) => its.rows[0]?.pop());
      passedMs += 11_000;
      expect(await send(eventOf({ b: '3' }))).toMatchObject(delivered);
      expect(google.cells()[0]).toEqual([...fixed, 'a', 'b']);
    });

    it('gets no more than 500 columns, whatever visitors send; the rest is one cell of JSON', async () => {
      const fields = (from: number, count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${from + n}`, `v${from + n}`]));
      expect(await send(eventOf(fields(0, 900)))).toMatchObject(delivered);
      const more = (at: number): unknown => JSON.parse(String(records()[at]?.More));
      expect(google.cells()[0]).toHaveLength(499);
      expect(more(0)).toEqual(fields(496, 404));
      expect(await send(eventOf(fields(1000, 3)))).toMatchObject(delivered);
      expect(google.cells()[0]).toHaveLength(500);
      expect(records()[1]?.f1000).toBe('v1000');
      expect(more(1)).toEqual(fields(1001, 2));
      expect(await operationsOf(() => send(eventOf(fields(2000, 3))))).toEqual(['append']);
      expect(more(2)).toEqual(fields(2000, 3));
    });

    it('must begin in A1, or rows would begin elsewhere', async () => {
      google.edit((its) => {
        its.rows = [[null, 'Mine']];
      });
      expect(await send(eventOf({ a: '1' }))).toMatchObject({
        end: 'failed',
        error: 'sheet: Cell A1 of the sheet is empty: write a heading into it',
        isUnresponsive: false,
      });
      expect(google.cells()).toEqual([[null, 'Mine']]);
    });
  });

  describe('a repeated attempt', () => {
    it('adds no second row when the response to the first was lost', async () => {
      await send(eventOf({ a: 'before' }));
      const event = eventOf({ a: '1' });
      google.behave('drops', 'append');
      expect(await send(event)).toMatchObject({
        end: 'failed',
        status: null,
        error: expect.stringMatching(/^reset/),
      });
      // Nor does the sender retry by itself, over another connection.
      expect(records()).toHaveLength(2);
      google.behave('honest');
      expect(
        await operationsOf(async () =>
          expect(await send(event, { isRepeated: true })).toMatchObject(delivered),
        ),
      ).toEqual(['column']);
      expect(records()).toHaveLength(2);
      expect(await send(event, { isRepeated: true, by: aKind() })).toMatchObject(delivered);
      expect(records()).toHaveLength(2);
    });

    it('adds the row when the first did not arrive', async () => {
      const event = eventOf({ a: '1' });
      google.behave({ status: 503 }, 'append');
      expect(await send(event)).toMatchObject({ end: 'failed', status: 503 });
      google.behave('honest');
      expect(await send(event, { isRepeated: true })).toMatchObject(delivered);
      expect(records()).toMatchObject([{ Submission: event.submission.id, a: '1' }]);
    });

    it('finds the row where its owner has moved it', async () => {
      const event = eventOf({ a: '1' });
      await send(event);
      google.edit((its) => {
        its.rows = [...its.rows.map((row) => [null, ...row])];
        its.rows[0] = ['Notes', ...(its.rows[0]?.slice(1) ?? [])];
        its.rows.splice(1, 0, [], ['a note']);
      });
      passedMs += 11_000;
      expect(await send(event, { isRepeated: true })).toMatchObject(delivered);
      expect(google.cells()).toHaveLength(4);
    });

    it('shares what is read with others at the same time', async () => {
      const events = Array.from({ length: 20 }, (_, n) => eventOf({ a: String(n) }));
      for (const event of events.slice(0, 10)) await send(event);
      const operations = await operationsOf(() =>
        Promise.all(events.map((event) => send(event, { isRepeated: true }))),
      );
      expect(operations.filter((one) => one === 'column').length).toBeLessThanOrEqual(3);
      expect(
        records()
          .map(({ Submission }) => Submission)
          .sort(),
      ).toEqual(events.map(({ submission }) => submission.id).sort());
    });

    it('looks through a large sheet, page by page', async () => {
      const events = [1, 30_000, 69_999].map((row) => ({ row, event: eventOf({ a: String(row) }) }));
      google.edit((its) => {
        its.rows = [
          [...fixed, 'a'],
          ...Array.from({ length: 70_000 }, () => [newId(someTime), submittedAt, 'x']),
        ];
        for (const { row, event } of events) its.rows[row] = [event.submission.id, submittedAt, 'y'];
        its.rowCount = 71_000;
      });
      for (const { event } of events)
        expect(await send(event, { isRepeated: true })).toMatchObject(delivered);
      expect(google.cells()).toHaveLength(70_001);
      const other = eventOf({ a: 'new' });
      const operations = await operationsOf(() => send(other, { isRepeated: true }));
      expect(operations.filter((one) => one === 'column').length).toBeGreaterThan(1);
      expect(google.cells()[70_001]?.[0]).toBe(other.submission.id);
    });

    it('reads only the last rows of a very large sheet', async () => {
      const event = eventOf({ a: '1' });
      google.edit((its) => {
        its.rows = [[...fixed, 'a'], ...Array.from({ length: 250_000 }, () => [newId(someTime), '', ''])];
        its.rows[250_000] = [event.submission.id, submittedAt, '1'];
        its.rowCount = 250_001;
      });
      const operations = await operationsOf(async () =>
        expect(await send(event, { isRepeated: true })).toMatchObject(delivered),
      );
      expect(operations.filter((one) => one === 'column').length).toBeLessThan(7);
      expect(operations).not.toContain('append');
    });
  });

  describe('what Google says', () => {
    const says = (status: number, message: string, code: string) => ({
      status,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ error: { code: status, message, status: code } }),
    });

    it.each([
      [
        'The caller does not have permission',
        'Share the spreadsheet with inlet@example-project.iam.gserviceaccount.com as an editor',
      ],
      [
        'Google Sheets API has not been used in project 1 before or it is disabled. Enable it by visiting https://x then retry.',
        'Enable the Google Sheets API for the project of the service account',
      ],
      [
        'You are trying to edit a protected cell or object.',
        'You are trying to edit a protected cell or object.',
      ],
    ])('403 %s', async (message, words) => {
      google.behave(says(403, message, 'PERMISSION_DENIED'), 'append');
      expect(await send(eventOf({ a: '1' }))).toMatchObject({
        end: 'failed',
        status: 403,
        error: `http_4xx: ${words}`,
        isUnresponsive: false,
      });
    });

    it('there is no such spreadsheet, or no such sheet', async () => {
      const other = withConfig({ spreadsheet_id: 'another-spreadsheet' });
      expect(await send(eventOf({}), { to: other })).toMatchObject({
        end: 'failed',
        status: 404,
        error: expect.stringMatching(/no spreadsheet with the id another-spreadsheet.*share .* with inlet@/),
      });
      expect(await send(eventOf({}), { to: withConfig({ sheet: "It's <b>" }) })).toMatchObject({
        end: 'failed',
        status: 400,
        error: "http_4xx: There is no sheet called “It's <b>” in the spreadsheet",
      });
    });

    it.each(['append', 'header', 'columns', 'token'] as const)(
      'wait (429), to the request for the %s',
      async (only) => {
        google.behave({ status: 429, headers: { 'Retry-After': '7' } }, only);
        expect(await send(eventOf({ a: '1' }))).toMatchObject({
          end: 'failed',
          status: 429,
          retryAfterMs: 7_000,
        });
      },
    );

    it.each([400, 404, 409, 410, 500, 502, 503])(
      '%i, and nothing more: it is tried again',
      async (status) => {
        for (const only of ['append', 'token'] as const) {
          google.behave({ status, body: '<html>no</html>' }, only);
          expect(await send(eventOf({ a: '1' }), { by: aKind() })).toMatchObject({ end: 'failed', status });
        }
      },
    );

    it.each([
      ['', 'token'],
      ['[]', 'token'],
      ['{"access_token":"a\\r\\nX-Injected: 1"}', 'token'],
      ['{"values":[["Submi', 'header'],
      ['null', 'header'],
      ['{"sheets":[null,{"properties":7},{"properties":{"gridProperties":{}}}]}', 'grid'],
    ] as const)('200 with %j for the %s', async (body, only) => {
      google.behave({ status: 200, body }, only);
      expect(await send(eventOf({ a: '1' }))).toMatchObject({
        end: 'failed',
        error: expect.stringMatching(/^\w+: /),
      });
      expect(google.operations).not.toContain('append');
    });

    it.each(['append', 'token', 'header'] as const)('nothing, when asked for the %s', async (only) => {
      google.behave('hangs', only);
      expect(await send(eventOf({ a: '1' }), { by: aKind(shortMs) })).toMatchObject({
        end: 'failed',
        status: null,
        error: expect.stringMatching(/^timeout/),
        isUnresponsive: true,
      });
    });

    it.each(['append', 'token', 'header'] as const)(
      'all that it was sent, when asked for the %s',
      async (only) => {
        google.behave('echoes', only);
        expect((await send(eventOf({ a: '1' }))).response).toMatch(/GET|POST/);
      },
    );
  });

  describe('the token', () => {
    it('is requested once, and again before it ends', async () => {
      const events = Array.from({ length: 10 }, () => eventOf({ a: '1' }));
      await Promise.all(events.map((event) => send(event)));
      expect(google.tokens).toHaveLength(1);
      passedMs += 58 * 60_000;
      await send(eventOf({ a: '1' }));
      expect(google.tokens).toHaveLength(1);
      passedMs += 2 * 60_000;
      await send(eventOf({ a: '1' }));
      expect(google.tokens).toHaveLength(2);
    });

    it('is replaced when it is no longer accepted', async () => {
      await send(eventOf({ a: '1' }));
      google.revokeTokens();
      const event = eventOf({ a: '2' });
      expect(await send(event)).toMatchObject({ end: 'failed', status: 401 });
      expect(await send(event, { isRepeated: true })).toMatchObject(delivered);
      expect(google.tokens).toHaveLength(2);
    });

    const otherKey = (type: 'rsa' | 'ec'): string =>
      (type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 1024 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
      ).privateKey
        .export({ type: 'pkcs8', format: 'pem' })
        .toString();
    const keyFile = (more: object): string => JSON.stringify({ ...JSON.parse(google.credentials), ...more });

    it('is not given for a key that was deleted: its owner hears what to do', async () => {
      const to = withConfig({ credentials: keyFile({ private_key: otherKey('rsa') }) });
      expect(await send(eventOf({}), { to })).toMatchObject({
        end: 'failed',
        status: 400,
        error:
          'http_4xx: Google does not accept the key of the service account (Invalid JWT Signature.). Create a new key',
      });
    });

    it.each([
      ['no JSON', () => '{', 'must be the JSON text of a key file'],
      ['a list', () => '[]', 'must be the JSON text of a key file'],
      [
        'no account',
        () => keyFile({ client_email: 7 }),
        'has no client_email; use the key file of a service account',
      ],
      [
        'no key',
        () => keyFile({ private_key: undefined }),
        'has no private_key; use the key file of a service account',
      ],
      [
        'half a key',
        () => keyFile({ private_key: google.privateKey.slice(0, 400) }),
        'has a private_key that cannot be read',
      ],
      [
        'a key of another kind',
        () => keyFile({ private_key: otherKey('ec') }),
        'has a private_key that is not an RSA key',
      ],
    ])('is not asked for with %s', async (_, credentials, words) => {
      expect(checkCredentials(credentials())).toBe(words);
      expect(await send(eventOf({}), { to: withConfig({ credentials: credentials() }) })).toMatchObject({
        end: 'failed',
        status: null,
        error: `credentials: The key file ${words}`,
        isUnresponsive: false,
      });
      expect(google.requests).toEqual([]);
    });

    it('can be asked for with a good key file', () => {
      expect(checkCredentials(google.credentials)).toBeNull();
    });
  });
});
