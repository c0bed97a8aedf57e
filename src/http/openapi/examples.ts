/** Example values for the OpenAPI document, generated from the schemas, so that they always match them. */

interface Shape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly minItems?: number;
  /** For patterns whose values cannot be guessed from the rest. */
  readonly examples?: readonly unknown[];
}

const exampleId = '01890000-0000-7000-8000-000000000000';

const byFormat: Readonly<Record<string, string>> = {
  uuid: exampleId,
  'date-time': '2026-01-31T12:00:00.000Z',
  instant: '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  'http-url': 'https://example.com/webhook',
  'origin-host': 'example.com',
  'ip-or-cidr': '203.0.113.0/24',
  password: 'correct horse battery',
  'new-password': 'correct horse battery',
  'image-side': '800',
  'image-quality': '80',
};

/** For fields whose name says more than their type. */
const byName: Readonly<Record<string, unknown>> = {
  data: { name: 'Ada', message: 'Hello' },
  name: 'Contact',
  form_name: 'Contact',
  slug: 'contact',
  email: 'ada@example.com',
  public_id: 'k3v9x2m4q8wz',
  alias: 'mqkvzzrn',
  id: exampleId,
  form_id: exampleId,
  project_id: exampleId,
  endpoint: 'https://forms.example.com/f/k3v9x2m4q8wz',
  script_url: 'https://forms.example.com/inlet.js',
  download_url: `https://forms.example.com/api/v1/files/${exampleId}/download?token=TOKEN`,
  url: 'https://example.com/webhook',
  webhook_url: 'https://example.com/webhook',
  success_redirect: 'https://example.com/thanks',
  webhook_secret: 'whsec_EXAMPLE',
  field: 'attachment',
  accept: '.pdf',
  filename: 'photo.png',
  original_filename: 'photo.png',
  type: 'image/png',
  mime_type: 'image/png',
  size: 34_567,
  file_size_bytes: 34_567,
  ip: '203.0.113.7',
  your_ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0',
  submitted_from: 'https://example.com/contact',
  remote_address: '198.51.100.4:443',
  status: 200,
  last_status: 200,
  error: null,
  last_error: null,
  response: 'ok',
  next_attempt_at: null,
  last_attempt_at: null,
  paused_in: null,
  next_cursor: null,
  prefix: 'inlet_abcd',
  api_key: 'inlet_EXAMPLE',
  token: 'TOKEN',
  version: '1.0.0',
  node: 'v20.20.0',
  host: 'inlet-1',
  seen: 'Origin: https://staging.example.com',
  expires_in: 3600,
};

const isOf = (value: unknown, types: readonly string[]): boolean => {
  if (value === null) return types.includes('null');
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  return types.includes(typeof value);
};

type Way = 'request' | 'response';

const isNullable = ({ type, anyOf = [] }: Shape): boolean =>
  [type ?? []].flat().includes('null') || anyOf.some((choice) => choice.type === 'null');

/** An item of a list is shown; lists within it are empty. */
const maxDepth = 2;

/** Shows the required fields. Without any, a response shows all fields and a request only the first. */
export function exampleOf(schema: Shape, way: Way, name = '', depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return schema.examples[0];
  const [choice] = schema.anyOf ?? [];
  const types = [schema.type ?? []].flat();
  if (Object.hasOwn(byName, name) && isOf(byName[name], types) && !schema.properties) return byName[name];
  if (way === 'response' && depth > 0 && isNullable(schema)) return null;
  if (choice) return exampleOf(choice, way, name, depth);
  if (schema.default !== undefined) return schema.default;
  const [type] = types;
  if (type === 'string') return byFormat[schema.format ?? ''] ?? 'text';
  if (type === 'integer' || type === 'number') return schema.minimum ?? 12;
  if (type === 'boolean') return true;
  if (type === 'array') return listExample(schema, way, name, depth);
  return objectExample(schema, way, depth);
}

function listExample(list: Shape, way: Way, name: string, depth: number): readonly unknown[] {
  const { items = {}, minItems = 0 } = list;
  if (way === 'response' && depth >= maxDepth && minItems === 0) return [];
  return [exampleOf(items, way, items.properties ? '' : name, depth)];
}

function objectExample(schema: Shape, way: Way, depth: number): Readonly<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {});
  const needed = fields.filter(([field]) => schema.required?.includes(field));
  const shown = needed.length > 0 ? needed : way === 'response' ? fields : fields.slice(0, 1);
  return Object.fromEntries(shown.map(([field, inner]) => [field, exampleOf(inner, way, field, depth + 1)]));
}
