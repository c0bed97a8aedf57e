/** Sabotages of what protects users, visitors and the network from outsiders. */
const connect = 'src/adapters/outbound/connect.ts';
const exchange = 'src/adapters/outbound/exchange.ts';
const outbound = 'test/contracts/outbound-undici.test.ts';

export const guarding = [
  {
    name: 'redirects-followed',
    breaks: 'A redirect from an endpoint is never followed',
    patches: [
      {
        file: exchange,
        find: '  ): void {\n    if (this.hasEnded || status < 200) return;\n',
        put: `  ): void {
    if (status >= 300 && status < 400 && headers.location !== undefined) {
      setTimeout(() => this.#end(null), 500);
      void fetch(String(headers.location), { method: 'POST' }).catch(() => {});
    }
    if (this.hasEnded || status < 200) return;
`,
      },
      {
        file: exchange,
        find: '    this.#isWhole = true;\n    this.#end(null);\n',
        put: '    this.#isWhole = true;\n    if (this.status === null || this.status < 300 || this.status >= 400) this.#end(null);\n',
      },
    ],
    test: { file: outbound, name: 'redirects with 307: nobody goes there' },
    because: /AssertionError/,
  },
  {
    name: 'dns-answer-not-judged',
    breaks: 'Every address a name resolves to is checked before connecting',
    patches: [
      {
        file: connect,
        find: '    for (const address of addresses) refuseBlocked(target, address);\n',
        put: '',
      },
    ],
    test: { file: outbound, name: 'refuses a name that resolves to an inside address' },
    because: /AssertionError/,
  },
  {
    name: 'connected-socket-not-judged',
    breaks: 'The connected address is checked again before a byte is written',
    patches: [{ file: connect, find: '    refuseBlocked(target, remote);\n', put: '' }],
    test: { file: outbound, name: 'writes nothing when the connected socket is refused' },
    because: /AssertionError/,
  },
  {
    name: 'answer-without-end-is-read',
    breaks: 'No more of a response is read than allowed',
    patches: [
      {
        file: exchange,
        find: 'if (this.#readBytes > this.#maxReadBytes) this.onOverrun();',
        put: '',
      },
      {
        file: exchange,
        find: 'this.#bytesReadBefore + this.limits.maxHeadBytes + this.#maxReadBytes + extraReadBytes;',
        put: 'this.#bytesReadBefore + extraReadBytes + Number.MAX_SAFE_INTEGER;',
      },
    ],
    test: { file: outbound, name: 'sends a body without end: no more is read than allowed' },
    because: /AssertionError|timed out/,
  },
  {
    name: 'rate-limit-off',
    breaks: 'Submissions above the limit are rejected',
    patches: [
      { file: 'src/domain/submissions/admission.ts', find: 'over: count > limit,', put: 'over: count < 0,' },
    ],
    test: {
      file: 'test/http/submit/rate-limit.test.ts',
      name: 'above the limit returns 429 with retry_after in body and header, and stores nothing',
    },
    because: /AssertionError/,
  },
  {
    name: 'token-opens-other-files',
    breaks: 'A link opens only the file it was created for',
    patches: [
      {
        file: 'src/domain/files/tokens.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: '`${purpose}\\n${fileId}\\n${expiry}$',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        put: '`${purpose}\\n${fileId.length}\\n${expiry}$',
      },
    ],
    test: { file: 'test/http/files/access.test.ts', name: "returns 403 to another file's token" },
    because: /AssertionError/,
  },
  {
    name: 'svg-served-inline',
    breaks: 'Uploaded files are downloads that no browser runs',
    patches: [
      {
        file: 'src/http/attachment.ts',
        find: "contentType: namedTypes.has(mimeType) ? mimeType : 'application/octet-stream',",
        put: 'contentType: mimeType,',
      },
      {
        file: 'src/http/attachment.ts',
        find: "kind: 'attachment' | 'inline' = 'attachment'",
        put: "kind: 'attachment' | 'inline' = 'inline'",
      },
    ],
    test: { file: 'test/http/files/content.test.ts', name: 'what a browser could run' },
    because: /AssertionError/,
  },
  {
    name: 'mail-takes-recipients-from-visitors',
    breaks: 'Nothing a visitor writes becomes a header or a recipient of a mail',
    patches: [
      {
        file: 'src/adapters/mailer/smtp.ts',
        find: '  envelope: { from: sender.address, to: [message.to] },\n',
        put: '  cc: message.replyTo ?? [],\n',
      },
    ],
    test: {
      file: 'src/adapters/mailer/smtp-hostile.test.ts',
      name: 'what visitors write never becomes a header or a recipient',
    },
    because: /AssertionError|Property failed/,
  },
  {
    name: 'cross-site-changes-allowed',
    breaks: 'A page of another site cannot change anything for a signed-in user',
    patches: [{ file: 'src/http/same-origin.ts', find: ': verdict(request) === true;', put: ': true;' }],
    test: {
      file: 'test/http/session/access.test.ts',
      name: 'changes nothing for another site, and does not even look at what it wants',
    },
    because: /AssertionError/,
  },
  {
    name: 'frames-of-others-read',
    breaks: 'A frame on another port or subdomain reads nothing, and holds no stream',
    patches: [
      { file: 'src/http/same-origin.ts', find: " && shownAs === 'document';", put: ' && shownAs !== mode;' },
    ],
    test: {
      file: 'test/http/session/access.test.ts',
      name: 'lets a page on another site read nothing, and lets people follow links',
    },
    because: /AssertionError/,
  },
  {
    name: 'cookie-goes-to-other-sites',
    breaks: 'The session cookie is not sent with requests from other sites',
    patches: [
      {
        file: 'src/http/cookies.ts',
        find: "path: '/',\n    sameSite: 'lax',",
        put: "path: '/',\n    sameSite: 'none',",
      },
    ],
    test: {
      file: 'test/http/session/sign-in.test.ts',
      name: 'answers who it is, and a cookie that scripts and other sites do not get',
    },
    because: /SameSite/i,
  },
  {
    name: 'robots-can-tell',
    breaks: 'A quarantined bot gets exactly the response of a success',
    patches: [
      {
        file: 'src/domain/submissions/intake.ts',
        find: '      submissionId: quarantined.id,\n      files: answerFiles(files),',
        put: '      submissionId: quarantined.id,\n      files: [],',
      },
    ],
    test: {
      file: 'test/http/submit/plan-and-spam.test.ts',
      name: 'responds exactly as success does, in every format',
    },
    because: /AssertionError/,
  },
  {
    name: 'captcha-token-good-twice',
    breaks: 'A solved challenge works for one submission',
    patches: [
      {
        file: 'src/adapters/captcha/altcha.ts',
        find: "return (await spend(parameters.nonce, expiresAt)) ? 'passed' : 'failed';",
        put: "await spend(parameters.nonce, expiresAt);\n      return 'passed';",
      },
    ],
    test: { file: 'test/contracts/captcha-altcha.test.ts', name: 'lets a good token pass once' },
    because: /AssertionError/,
  },
  {
    name: 'codecs-take-every-core',
    breaks: 'Image processing leaves a core for arriving submissions',
    patches: [
      {
        file: 'src/adapters/imaging/sharp.ts',
        find: 'working >= options.processesUnderPressure && options.isUnderPressure()',
        put: 'working >= options.processes && options.isUnderPressure()',
      },
    ],
    test: {
      file: 'test/contracts/imaging-sharp-faults.test.ts',
      name: 'fewer codecs work, and all of them again when it is over',
    },
    because: /AssertionError|Not one codec/,
  },
];
