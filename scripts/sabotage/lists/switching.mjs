/** Sabotages of what pages written for other form services rely on, and of what they must not get. */
const dialects = 'test/http/submit/dialects.test.ts';
const controls = 'test/http/submit/controls.test.ts';
const recognise = 'src/http/submit/dialects/recognise.test.ts';

export const switching = [
  {
    name: 'redirect-anywhere',
    breaks: 'A visitor’s redirect leads to allowed origins only',
    patches: [
      {
        file: 'src/domain/submissions/controls.ts',
        find: 'host !== null && originMatches(origins, host) ? url.href',
        put: 'host !== null ? url.href',
      },
    ],
    test: { file: controls, name: 'to "https://evil.test/" is not' },
    because: /AssertionError/,
  },
  {
    name: 'redirect-without-a-list',
    breaks: 'Without allowed origins, no visitor’s redirect is followed',
    patches: [
      {
        file: 'src/domain/submissions/controls.ts',
        find: '  if (origins === null) return null;\n',
        put: '',
      },
      {
        file: 'src/domain/submissions/controls.ts',
        find: 'host !== null && originMatches(origins, host) ? url.href',
        put: 'host !== null && (origins === null || originMatches(origins, host)) ? url.href',
      },
    ],
    test: { file: controls, name: 'needs a list of allowed origins' },
    because: /AssertionError/,
  },
  {
    name: 'redirect-not-recorded',
    breaks: 'A redirect that is not followed is recorded for the owner',
    patches: [
      {
        file: 'src/http/submit/pipeline.ts',
        find: "if (allowed === null) deps.record('redirect'",
        put: "if (asked === '') deps.record('redirect'",
      },
    ],
    test: { file: controls, name: 'that is not followed is recorded for the owner' },
    because: /AssertionError/,
  },
  {
    name: 'copies-to-anyone',
    breaks: 'A page has only those copied on a notification that the form allows',
    patches: [
      {
        file: 'src/domain/submissions/controls.ts',
        find: '  return allowed.filter((address) => wanted.has(address.toLowerCase()));',
        put: "  const strangers = [...wanted].filter((address) => address.endsWith('@evil.test')).slice(0, 3);\n  return [...strangers, ...allowed.filter((address) => wanted.has(address.toLowerCase()))];",
      },
    ],
    test: { file: controls, name: 'is copied to those that the form allows' },
    because: /AssertionError/,
  },
  {
    name: 'list-items-taken-for-names',
    breaks: 'A request without an explicit sign never gets the response of another service',
    patches: [
      {
        file: 'src/http/submit/dialects/forminit.ts',
        find: 'for (const { name } of membersOf(json)) if (typedName.test(name)) return true;\n  return false;',
        put: 'return true;',
      },
    ],
    test: { file: recognise, name: 'is recognised by none of its fields' },
    because: /AssertionError|Property failed/,
  },
  {
    name: 'files-of-no-form-stay',
    breaks: 'A body that names no form leaves no file',
    patches: [
      {
        file: 'src/http/submit/pipeline.ts',
        find: 'if (fields === null || fields instanceof Refusal) await sink.discard(body.files);',
        put: '',
      },
    ],
    test: { file: dialects, name: 'leaves nothing of a file that came to no form' },
    because: /AssertionError/,
  },
  {
    name: 'files-of-an-outage-stay',
    breaks: 'A body that names its form leaves no file when the database is unavailable',
    patches: [
      {
        file: 'src/http/submit/pipeline.ts',
        find: 'if (fields === null || fields instanceof Refusal) await',
        put: 'if (fields instanceof Refusal) await',
      },
    ],
    test: {
      file: 'test/faults/counted.test.ts',
      name: 'are counted once each and readable by the page, while the database is down',
    },
    because: /AssertionError/,
  },
  {
    name: 'unnamed-bodies-unlimited',
    breaks: 'An address that sent too many bodies for nothing is refused before the next one',
    patches: [
      {
        file: 'src/http/submit/pipeline.ts',
        find: 'const limited = way.id === null ? deps.desk.limitOf(visit.ip) : null;',
        put: 'const limited = way.id === null && visit.ip === null ? deps.desk.limitOf(visit.ip) : null;',
      },
    ],
    test: { file: dialects, name: 'is limited before the body is read' },
    because: /AssertionError/,
  },
  {
    name: 'body-chooses-the-form',
    breaks: 'The form that the path names receives the submission, whatever the body says',
    patches: [
      {
        file: 'src/http/submit/pipeline.ts',
        find: 'const refusal = isNamed ? await',
        put: "const refusal = isNamed || body.fields.reserved.has('access_key') ? await",
      },
    ],
    test: { file: dialects, name: 'the body cannot choose another form than the path' },
    because: /AssertionError/,
  },
  {
    name: 'control-fields-as-data',
    breaks: 'Control fields never become data',
    patches: [
      {
        file: 'src/http/submit/dialects/recognise.ts',
        find: 'if (known === null) kept.push(source);\n    else {',
        put: 'kept.push(source);\n    if (known !== null) {',
      },
    ],
    test: { file: dialects, name: 'posts to one address for all forms' },
    because: /AssertionError/,
  },
];
