/** The reference as published: the API document, the recorded examples, and the samples on the pages. */
import { readdir, readFile } from 'node:fs/promises';
import type { Metric } from '../../scripts/reference/metrics.mjs';
import { whole } from '../../scripts/reference/whole.mjs';

const folder = new URL('../../docs/reference/', import.meta.url);

export interface Exchange {
  readonly request: {
    readonly caller: 'key' | 'session' | 'nobody';
    readonly params: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly type?: string;
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly type: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly bytes?: number;
  };
}

interface Examples {
  readonly operations: Readonly<Record<string, Exchange>>;
  readonly events: Readonly<Record<string, unknown>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly metrics: readonly Metric[];
}

interface Content {
  readonly schema: object;
}

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
}

const json = async (name: string) => JSON.parse(await readFile(new URL(name, folder), 'utf8'));

export const readDocument = (): Promise<Document> => json('openapi.json');
export const readExamples = (): Promise<Examples> => json('examples.json');

export const operationsOf = (document: Document): readonly Operation[] =>
  Object.entries(whole(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );

export interface PublishedSample {
  readonly operationId: string;
  /** The language and the name of its tab. */
  readonly info: string;
  readonly code: string;
}

/** The programs under the operations, from all pages. */
export async function readSamples(): Promise<readonly PublishedSample[]> {
  const names = (await readdir(new URL('api/', folder))).filter((name) => name.endsWith('.md'));
  const pages = await Promise.all(names.map((name) => readFile(new URL(`api/${name}`, folder), 'utf8')));
  const groups = pages.flatMap((page) => [
    ...page.matchAll(/^<a id="(\w+)"><\/a>$[\s\S]*?^::: code-group$([\s\S]*?)^:::$/gm),
  ]);
  return groups.flatMap(([, operationId = '', group = '']) =>
    Array.from(group.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm), ([, info = '', code = '']) => ({
      operationId,
      info,
      code,
    })),
  );
}
