/** The routes as the service itself describes them, so that a new one is fuzzed from the start. */
import { whole } from '../../scripts/reference/whole.mjs';
import type { World } from './world.js';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  readonly body: Schema | null;
}

type Referred = Schema & { readonly $ref?: string };

interface Described {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Referred }>> };
}

export async function operationsOf({ api }: World): Promise<readonly Operation[]> {
  const { status, body } = await api.get('/openapi.json');
  if (status !== 200) throw new Error(`openapi.json: ${status}`);
  const paths = Object.entries(whole(body).paths as Record<string, Record<string, Described>>);
  const resolved = (schema: Referred): Schema =>
    schema.$ref === undefined ? schema : body.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      query: parameters.filter((parameter) => parameter.in === 'query'),
      body: requestBody ? resolved(requestBody.content['application/json']?.schema ?? {}) : null,
    })),
  );
}
