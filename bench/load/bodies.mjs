/** One contact form in the three formats that browsers and scripts send. The same bytes in every request. */

const fields = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  message: 'I would like to know more about the analytical engine and what it could do for us.',
  age: 36,
  topics: ['engines', 'poetry'],
};

const fileBytes = 100_000;
const boundary = 'inlet-bench-boundary';

/** Lines of text that differ, so that neither a file system nor a disk can compress them much. */
export function fileText() {
  let state = 1;
  let text = '';
  while (text.length < fileBytes) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += `${state.toString(36)}${text.length % 80 < 8 ? '\n' : ' '}`;
  }
  return text.slice(0, fileBytes);
}

const pairs = Object.entries(fields).flatMap(([name, value]) =>
  [value].flat().map((each) => [name, String(each)]),
);

function multipartText() {
  const parts = pairs.map(
    ([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`,
  );
  const head =
    'Content-Disposition: form-data; name="letter"; filename="letter.txt"\r\nContent-Type: text/plain\r\n\r\n';
  const all = [...parts, head + fileText()];
  return `${all.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;
}

export const bodies = {
  json: { type: 'application/json', text: JSON.stringify(fields) },
  urlencoded: {
    type: 'application/x-www-form-urlencoded',
    text: new URLSearchParams(pairs).toString(),
  },
  multipart: {
    type: `multipart/form-data; boundary=${boundary}`,
    text: multipartText(),
    // One network cannot take all upload slots, so 256 uploads at once come from several. Needs TRUST_PROXY=loopback.
    networks: 32,
  },
};
