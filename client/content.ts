/** What a form sends: its fields encoded as the browser would, and a fingerprint to recognize the same content again. */

/** Names of single-use token fields. The service ignores them too when it compares a retried body with the first one. */
const tokens =
  /^(altcha|_csrf|challenge-response|_challengeToken|(g-recaptcha|h-captcha|cf-turnstile)-response)$/;

export const hasFiles = (data: FormData): boolean =>
  [...data].some(([, value]) => typeof value !== 'string' && value.name);

/** URL-encoded unless the form is multipart or has files, with the line endings (CRLF) that browsers send. */
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
