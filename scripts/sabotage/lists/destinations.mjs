/** Sabotages of destinations: which submissions they get, in what form, and what owners see. */
const model = 'src/model/delivery.ts';
const plan = 'src/domain/planning/plan.ts';
const httpCall = 'src/adapters/destinations/http-call.ts';
const webhook = 'src/adapters/destinations/webhook.ts';
const email = 'src/adapters/destinations/email/email.ts';
const alerts = 'src/domain/destinations/alerts.ts';
const rows = 'src/adapters/sql/rows/destinations.ts';
const sending = 'test/http/destinations/sending.test.ts';
const management = 'test/http/management/destinations.test.ts';
const store = 'test/contracts/store/store-sqlite.test.ts';
const filtered = {
  file: sending,
  name: 'sends each submission where it belongs, and says where it was skipped',
};

export const destinations = [
  {
    name: 'filter-ignored',
    breaks: 'A destination gets only the submissions that its filter matches',
    patches: [
      {
        file: plan,
        find: 'if (filter && !event.passes(filter)) {',
        put: 'if (filter && !event.passes(filter) && skipped.length < 0) {',
      },
    ],
    test: filtered,
    because: /AssertionError/,
  },
  {
    name: 'skipped-not-recorded',
    breaks: 'A submission says which destinations its filter skipped',
    patches: [
      { file: plan, find: 'return { deliveries, skipped };', put: 'return { deliveries, skipped: [] };' },
    ],
    test: filtered,
    because: /AssertionError/,
  },
  {
    name: 'slack-value-not-escaped',
    breaks: 'Nothing that a visitor writes mentions anybody in Slack',
    patches: [
      {
        file: 'src/adapters/destinations/slack.ts',
        find: "value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');",
        put: 'value;',
      },
    ],
    test: { file: 'test/contracts/destination-slack.test.ts', name: 'as text in a template' },
    because: /AssertionError/,
  },
  {
    name: 'secret-header-in-a-test',
    breaks: 'The exchange of a test shows no credentials',
    patches: [
      {
        file: webhook,
        find: 'isSecretHeader(name) ? [value, ...partsOf(value)] : [],',
        put: "isSecretHeader(name) && value === '' ? [value, ...partsOf(value)] : [],",
      },
    ],
    test: { file: sending, name: 'returns the whole exchange, without secrets' },
    because: /hidden-token/,
  },
  {
    name: 'secret-repeated-by-the-endpoint',
    breaks: 'A secret that an endpoint repeats is masked in the recorded response',
    patches: [
      {
        file: httpCall,
        find: 'response: result.response === null ? null : shown(result.response),',
        put: 'response: result.response,',
      },
    ],
    test: {
      file: 'test/contracts/destination-webhook.test.ts',
      name: 'shows no secret that the provider repeats',
    },
    because: /AssertionError/,
  },
  {
    name: 'chat-url-shown-whole',
    breaks: 'The URL of a chat, which holds a secret, is read back shortened',
    patches: [
      {
        file: 'src/domain/destinations/shown-config.ts',
        find: 'return { url: shortUrl(config.url) };',
        put: 'return { url: config.url };',
      },
    ],
    test: { file: management, name: 'responds 201 with all fields, without secrets' },
    because: /hidden-path/,
  },
  {
    name: 'config-stored-unsealed',
    breaks: 'A stolen copy of the database shows no secrets of destinations',
    patches: [
      {
        file: rows,
        find: 'sealer.seal(JSON.stringify(destination.config))',
        put: 'JSON.stringify(destination.config)',
      },
      { file: rows, find: 'JSON.parse(sealer.open(row.config))', put: 'JSON.parse(row.config)' },
    ],
    test: { file: store, name: 'lets nobody read its config in a stolen copy' },
    because: /plain-secret/,
  },
  {
    name: 'destination-of-another-account',
    breaks: 'An account reads and changes its own destinations only',
    patches: [
      {
        file: rows,
        find: 'living(db).where(inReach(reach));',
        put: "living(db).where('projects.account_id', '<>', reach.accountId.slice(0, 0));",
      },
    ],
    test: { file: management, name: 'another account finds nothing, built in or not' },
    because: /AssertionError/,
  },
  {
    name: 'retry-after-shortens',
    breaks: 'Retry-After never shortens the schedule',
    patches: [
      {
        file: model,
        find: 'nextAttemptAt: Math.max(dueAt, heldUntil ?? 0), heldUntil',
        put: 'nextAttemptAt: heldUntil ?? dueAt, heldUntil',
      },
    ],
    test: {
      file: 'src/model/delivery.test.ts',
      name: 'waits longer when the endpoint asks for it, and never shorter',
    },
    because: /AssertionError/,
  },
  {
    name: 'retry-after-not-read',
    breaks: 'Retry-After is honoured, in seconds and as a date',
    patches: [
      {
        file: httpCall,
        find: 'retryAfterMs: retryAfterMs(result.retryAfter, now) };',
        put: 'retryAfterMs: retryAfterMs(null, now) };',
      },
    ],
    test: { file: 'test/http/webhooks/schedule.test.ts', name: 'gets its next attempt no earlier' },
    because: /AssertionError/,
  },
  {
    name: 'address-of-commit-time',
    breaks: 'Attempts go to the address that is set now',
    patches: [
      {
        file: 'src/domain/sending/current.ts',
        find: "kind === 'webhook' ? config.url : url;",
        put: "kind === 'webhook' && url === '' ? config.url : url;",
      },
      {
        file: webhook,
        find: 'send({ id, submissionId, attempt, body }, { config }, projectSigning) {',
        put: 'send({ id, submissionId, attempt, body, url }, { config }, projectSigning) {',
      },
      { file: webhook, find: 'url: config.url, headers, body', put: 'url, headers, body' },
    ],
    test: {
      file: 'test/http/webhooks/settings-changed.test.ts',
      name: 'the URL is changed: what was waiting goes to the new one',
    },
    because: /AssertionError/,
  },
  {
    name: 'gone-not-disabled',
    breaks: '410 disables a destination',
    patches: [
      {
        file: 'src/domain/sending/health.ts',
        find: "const isGone = end === 'gone' && !isBuiltIn(delivery);",
        put: "const isGone = end === 'gone' && isBuiltIn(delivery);",
      },
    ],
    test: { file: sending, name: '410 disables it; a built-in webhook only ends that delivery' },
    because: /AssertionError|timed out/,
  },
  {
    name: 'alert-at-every-step',
    breaks: 'The owner of a failing destination is mailed once',
    patches: [
      {
        file: alerts,
        find: 'if (state === notifiedState) return;',
        put: "if (state === notifiedState && state === 'ok') return;",
      },
    ],
    test: {
      file: 'test/http/destinations/alerts.test.ts',
      name: 'is reported once, however often it is checked',
    },
    because: /AssertionError/,
  },
  {
    name: 'backfill-sends-again',
    breaks: 'A backfill sends nothing that has arrived',
    patches: [
      {
        file: 'src/domain/deliveries/backfill.ts',
        find: 'if (sent.length > 0) return {',
        put: 'if (sent.length > 9) return {',
      },
    ],
    test: { file: sending, name: 'sends what the destination never got, by its filter and another, once' },
    because: /AssertionError/,
  },
  {
    name: 'second-row-in-a-sheet',
    breaks: 'A repeated attempt adds no second row to a sheet',
    patches: [
      {
        file: 'src/adapters/destinations/google-sheets/google-sheets.ts',
        find: '  if (isRepeated) {\n',
        put: "  if (isRepeated && submissionId === '') {\n",
      },
    ],
    test: {
      file: 'test/contracts/destination-google-sheets.test.ts',
      name: 'adds no second row when the response to the first was lost',
    },
    because: /AssertionError/,
  },
  {
    name: 'second-row-after-a-crash',
    breaks: 'An attempt that a crash cut off is known to the next one, which adds no second row to a sheet',
    patches: [
      {
        file: 'src/adapters/sql/rows/deliveries.ts',
        find: 'isInFlight: values.at(-2) !== null || Number(values.at(-1)) > 0,',
        put: 'isInFlight: values.at(-2) !== null,',
      },
    ],
    test: {
      file: 'test/crash/delivery.test.ts',
      name: 'before-record: a row of a sheet is added once',
    },
    because: /AssertionError/,
  },
  {
    name: 'refused-recipient-blocks-others',
    breaks: 'Each recipient of an e-mail destination gets a mail, even if the server refuses another',
    patches: [
      {
        file: email,
        find: 'recipientsOf(config, () => event.fields()).map((address)',
        put: 'recipientsOf(config, () => event.fields()).slice(0, 1).map((address)',
      },
    ],
    test: {
      file: 'test/http/mail.test.ts',
      name: 'that refuses one address for good does not keep the others from theirs',
    },
    because: /AssertionError/,
  },
  {
    name: 'unsubscribed-still-mailed',
    breaks: 'Who has unsubscribed gets no more mails of that destination',
    patches: [
      {
        file: 'src/adapters/destinations/email/notification.ts',
        find: 'if (stopped)',
        put: "if (stopped?.reason === 'complained')",
      },
    ],
    test: {
      file: 'test/http/destinations/email.test.ts',
      name: 'with one click of the mail program gets no more mails of that destination, and others still do',
    },
    because: /AssertionError|in time/,
  },
  {
    name: 'more-than-two-mails-at-once',
    breaks: 'At most two mails are sent to the mail server at once',
    patches: [
      {
        file: 'src/domain/sending/lanes.ts',
        find: 'origins: { [mailOrigin]: 2 },',
        put: 'origins: { [mailOrigin]: 8 },',
      },
    ],
    test: {
      file: 'test/simulation/mails.test.ts',
      name: 'go to the mail server at most two at once, over all forms',
    },
    because: /AssertionError/,
  },
  {
    name: 'test-mail-to-anybody',
    breaks: 'A test of a mail goes to the person who asks and to nobody else',
    patches: [
      {
        file: 'src/domain/mail/drafts.ts',
        find: 'compose(who, formId, about, to)',
        put: 'compose(who, formId, about, null)',
      },
      {
        file: 'src/domain/mail/drafts.ts',
        find: 'const own = { ...mail, to, ',
        put: 'const own = { ...mail, ',
      },
    ],
    test: {
      file: 'test/http/mail-drafts.test.ts',
      name: 'goes to the person who asks and to nobody else',
    },
    because: /AssertionError/,
  },
  {
    name: 'mail-preview-of-another-form',
    breaks: 'A preview of a mail shows only submissions of its form',
    patches: [
      {
        file: 'src/domain/mail/drafts.ts',
        find: 'if (found?.formId !== form.id)',
        put: 'if (!found)',
      },
    ],
    test: {
      file: 'test/http/mail-drafts.test.ts',
      name: 'is only of submissions of the form, and not for read keys or other accounts',
    },
    because: /AssertionError/,
  },
  {
    name: 'mail-preview-runs-scripts',
    breaks: 'Nothing in a mail runs in its preview',
    patches: [
      {
        file: 'src/http/mail-frame.ts',
        find: "script-src 'sha256-",
        put: "script-src 'unsafe-inline' 'unknown-",
      },
    ],
    test: {
      file: 'test/browser/dashboard/mail-editor.test.ts',
      name: 'shows HTML with its styles, in light and dark, and runs nothing in it',
    },
    because: /AssertionError/,
  },
  {
    name: 'replies-counted-after-sending',
    breaks: 'No more replies go out than the caps allow',
    patches: [
      {
        file: 'src/adapters/sql/rows/suppressions.ts',
        find: 'WHERE mail_counts.mails < ',
        put: 'WHERE -1 < ',
      },
      {
        file: 'src/adapters/sql/rows/suppressions.ts',
        find: '      if (full) return full;\n',
        put: '',
      },
    ],
    test: {
      file: 'test/http/replies.test.ts',
      name: 'is what exceeds the caps of an address over all forms, and of a form',
    },
    because: /AssertionError|suppressed/,
  },
  {
    name: 'bounces-forgotten',
    breaks: 'An address that bounced gets no more replies',
    patches: [
      {
        file: 'src/domain/replies/sender.ts',
        find: '    if (known) return',
        put: '    if (known && false) return',
      },
    ],
    test: {
      file: 'test/http/replies.test.ts',
      name: 'is everything to an address that bounced, until that is lifted',
    },
    because: /AssertionError/,
  },
];
