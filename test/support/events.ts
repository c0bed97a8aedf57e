/** The events of `/api/v1/events`, collected from now on. */
import { apiKey } from './server.js';

export interface HeardEvents {
  names(): readonly string[];
  /** The data of the first event with this name. */
  dataOf(name: string): unknown;
  close(): void;
}

export async function listenToEvents(url: string, key: string = apiKey): Promise<HeardEvents> {
  const ending = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const { body } = await fetch(`${url}/api/v1/events`, { headers, signal: ending.signal });
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
  };
  read().catch(() => {});
  const events = () =>
    Array.from(text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm), ([, name = '', data = '{}']) => ({
      name,
      data,
    }));
  return {
    names: () => events().map(({ name }) => name),
    dataOf: (wanted) => JSON.parse(events().find(({ name }) => name === wanted)?.data ?? 'null'),
    close: () => ending.abort(),
  };
}
