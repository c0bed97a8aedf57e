/** What a form sends: its fields as the browser itself would send them, and what makes two sendings the same one. */

/** The names of tokens that are good once. The service leaves them out, too, when it compares a body with the first. */
const tokens =
  /^(altcha|_csrf|challenge-response|_challengeToken|(g-recaptcha|h-captcha|cf-turnstile)-response)$/;

export const hasFiles = (data: FormData): boolean =>
  [...data].some(([, value]) => typeof value !== 'string' && value.name);

/** URL-encoded where the form says nothing else and has no files; with the line ends that a form sends. */
export function bodyOf(data: FormData, isMultipart: boolean): FormData | URLSearchParams {
  if (isMultipart || hasFiles(data)) return data;
  const body = new URLSearchParams();
  data.forEach((value, name) => {
    body.append(name, typeof value === 'string' ? value.replace(/\r?\n|\r/g, '\r\n') : '');
  });
  return body;
}

export const fingerprint = (data: FormData): string =>
  JSON.stringify(
    [...data]
      .filter(([name]) => !tokens.test(name))
      .map(([name, value]) => [
        name,
        typeof value === 'string' ? value : [value.name, value.size, value.lastModified],
      ]),
  );
