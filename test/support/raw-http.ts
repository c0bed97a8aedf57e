/** Requests that fetch would normalise: paths as written, repeated headers, bodies of any kind. */
import { request } from 'node:http';
import type { Answer } from './client.js';

export function rawRequest(
  port: number,
  path: string,
  options: { method?: string; headers?: readonly (readonly [string, string])[]; body?: string } = {},
): Promise<Answer> {
  const { method = 'GET', headers = [], body } = options;
  const length = method === 'GET' ? [] : [['Content-Length', String(Buffer.byteLength(body ?? ''))]];
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: [['Host', `127.0.0.1:${port}`], ...headers, ...length].flat(),
      },
      async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        const received = new Headers();
        for (const [name, value] of Object.entries(response.headers)) received.set(name, String(value));
        let parsed: unknown = null;
        try {
          parsed = JSON.parse(text);
        } catch {
          // Not JSON; the test looks at the text.
        }
        resolve({ status: response.statusCode ?? 0, headers: received, text, body: parsed });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
