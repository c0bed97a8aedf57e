/** Sabotages of how submitted data is output: to people, to spreadsheets, through image codecs. */
const isolation = 'src/adapters/imaging/isolation.ts';
const codec = 'test/contracts/imaging-isolation.test.ts';
const hosted = 'test/http/submit/hosted.test.ts';

export const showing = [
  {
    name: 'snippets-run-labels',
    breaks: 'Labels and names are text in every snippet, and code in none',
    patches: [
      {
        file: 'src/domain/forms/snippets/writing.ts',
        find: '/[&<>{}\\0\\t',
        put: '/[&<>\\0\\t',
      },
    ],
    test: {
      file: 'test/browser/snippet-fields.test.ts',
      name: 'has a label and the constraints of each rule, and is accepted as filled in',
    },
    because: /Error/,
  },
  {
    name: 'errors-without-input',
    breaks: 'With the browser script, the error of a field stands at its input',
    patches: [
      {
        file: 'client/inlet.ts',
        find: 'const { others, first } = showErrors(form, errors);',
        put: 'const { others, first } = showErrors(form, errors.slice(0, 0));',
      },
    ],
    test: {
      file: 'test/browser/field-errors.test.ts',
      name: 'each message stands at its input until the input changes',
    },
    because: /Error/,
  },
  {
    name: 'mail-obeys-directions',
    breaks: 'Characters that reorder text are escaped in e-mail',
    patches: [
      {
        file: 'src/kernel/shown-text.ts',
        find: '  shownCharacters(text.toWellFormed())\n    .replace(lineBreaks',
        put: '  text\n    .toWellFormed()\n    .replace(lineBreaks',
      },
    ],
    test: { file: 'test/http/mail.test.ts', name: 'characters that reorder or hide text are written out' },
    because: /AssertionError/,
  },
  {
    name: 'names-turn-the-terminal',
    breaks: 'A name cannot reorder a line in the terminal',
    patches: [{ file: 'src/cli/terminal.ts', find: 'shownCharacters(text).replace(', put: 'text.replace(' }],
    test: { file: 'src/cli/terminal.test.ts', name: 'carry no escape sequence out of a name' },
    because: /AssertionError/,
  },
  {
    name: 'csv-forgets-semicolons',
    breaks: 'No cell is a formula for a spreadsheet that splits at semicolons',
    patches: [
      {
        file: 'src/domain/submissions/spreadsheet-cell.ts',
        find: 'hasCellStart.test(plain) ? withoutInnerFormulas(plain) : plain',
        put: 'hasCellStart.test("") ? withoutInnerFormulas(plain) : plain',
      },
    ],
    test: {
      file: 'test/http/management/export.test.ts',
      name: 'has no formula for a spreadsheet that splits at ";"',
    },
    because: /AssertionError/,
  },
  {
    name: 'csv-marks-numbers',
    breaks: 'Numbers and phone numbers are exported as typed',
    patches: [
      {
        file: 'src/domain/submissions/spreadsheet-cell.ts',
        find: "text === '-' || number.test(text) || isPhoneNumber(text)",
        put: "text === '-' || (number.test(text) && isPhoneNumber(text))",
      },
    ],
    test: {
      file: 'test/http/management/export.test.ts',
      name: 'leaves numbers and phone numbers as they were typed',
    },
    because: /AssertionError/,
  },
  {
    name: 'csv-lets-phone-numbers-be-computed',
    breaks: 'A phone number that a spreadsheet would evaluate is exported as text',
    patches: [
      {
        file: 'src/domain/submissions/spreadsheet-cell.ts',
        find: '!phoneNumber.test(text) || !notComputable.test(text)',
        put: '!phoneNumber.test(text) && !notComputable.test(text)',
      },
    ],
    test: {
      file: 'test/http/management/export.test.ts',
      name: 'makes "+49-170-1234567" harmless for a spreadsheet without losing it',
    },
    because: /AssertionError/,
  },
  {
    name: 'codecs-slow-the-service-down',
    breaks: 'A codec cannot change limits, priority or scheduling of another process',
    patches: [
      {
        file: 'src/adapters/imaging/system-call-filter.ts',
        find: '  [jumpIfEqual, 1, 0, 0],\n',
        put: '  [jumpIfEqual, 1, 1, 0],\n',
      },
    ],
    test: { file: codec, name: 'no other process is signalled, read, limited or slowed down' },
    because: /AssertionError/,
  },
  {
    name: 'codecs-signal-through-descriptors',
    breaks: 'A codec cannot signal another process through a descriptor',
    patches: [
      {
        file: 'src/adapters/imaging/system-call-filter.ts',
        find: 'fcntl: [8, 15], ioctl',
        put: 'fcntl: [], ioctl',
      },
    ],
    test: { file: codec, name: 'no other process is signalled, read, limited or slowed down' },
    because: /AssertionError/,
  },
  {
    name: 'codec-failures-are-silent',
    breaks: 'The log says why images cannot be processed',
    patches: [
      {
        file: 'src/adapters/imaging/codec-handle.ts',
        find: '    onFailure(error);\n    slot?.close();',
        put: '    if (!error) onFailure(error);\n    slot?.close();',
      },
    ],
    test: {
      file: 'test/contracts/imaging-sharp-faults.test.ts',
      name: 'a folder that takes no source is reported once',
    },
    because: /AssertionError/,
  },
  {
    name: 'codecs-reach-the-network',
    breaks: 'A compromised codec cannot open a socket or start a process',
    patches: [
      {
        file: 'src/adapters/imaging/system-call-filter.ts',
        find: '[give, 0, 0, failWith(eperm)] as const,',
        put: '[give, 0, 0, allow] as const,',
      },
    ],
    test: { file: codec, name: 'nobody is reached, nothing is started, nobody is signalled' },
    because: /AssertionError/,
  },
  {
    name: 'codecs-read-files',
    breaks: 'A compromised codec can read only its program',
    patches: [{ file: isolation, find: 'const systemFiles = [\n', put: "const systemFiles = [\n  '/',\n" }],
    test: { file: codec, name: 'no file but the program is read, and none is written' },
    because: /AssertionError/,
  },
  {
    name: 'codecs-inherit-settings',
    breaks: 'A codec knows none of the settings',
    patches: [
      {
        file: 'src/adapters/imaging/codec-handle.ts',
        find: "env: { VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' },",
        put: "env: { ...process.env, VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' },",
      },
    ],
    test: { file: codec, name: 'has none of our settings, and no folder of ours' },
    because: /AssertionError/,
  },
  {
    name: 'hosted-page-framed-anywhere',
    breaks: 'Only allowed origins show a hosted page in a frame',
    patches: [
      {
        file: 'src/http/submit/hosted-policy.ts',
        find: "if (origins === null) return '*';",
        put: "if (origins === null || origins.exact.size > 0) return '*';",
      },
    ],
    test: { file: hosted, name: 'are the allowed origins of the form, else of its project' },
    because: /AssertionError/,
  },
  {
    name: 'links-write-markup',
    breaks: 'What a link fills in on a hosted page is text',
    patches: [
      {
        file: 'src/http/submit/hosted-inputs.ts',
        find: 'escapeHtml(String(value))',
        put: 'String(value)',
      },
    ],
    test: { file: hosted, name: 'is only text, however hostile' },
    because: /AssertionError/,
  },
  {
    name: 'other-ports-send-as-the-page',
    breaks: 'Only the origin of this instance is that of a hosted page',
    patches: [
      {
        file: 'src/domain/submissions/admission.ts',
        find: "parseHttpUrl(cameFrom(visit) ?? '')?.origin === hostedOrigin;",
        put: "parseHttpUrl(cameFrom(visit) ?? '')?.hostname === new URL(hostedOrigin).hostname;",
      },
    ],
    test: { file: hosted, name: 'is accepted from exactly this origin, and only while the form has a page' },
    because: /AssertionError/,
  },
];
