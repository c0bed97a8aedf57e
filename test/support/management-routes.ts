/** Every management route, so that the rules for all of them are tested on all of them. */
import { unknownId } from './contract.js';

export interface ManagementRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As in the OpenAPI document. */
  readonly template: string;
  readonly writes: boolean;
  /** The text of the 404 for an unknown id; null when there is no id. */
  readonly notFound: string | null;
  /** Its response goes on until one side ends it. */
  readonly isEndless?: boolean;
}

const project = 'Project not found';
const form = 'Form not found';
const submission = 'Submission not found';
const file = 'File not found';
const destination = 'Destination not found';
const provider = 'Identity provider not found';

const read = (template: string, notFound: string | null): ManagementRoute => ({
  method: 'GET',
  template,
  writes: false,
  notFound,
});
const write = (
  method: ManagementRoute['method'],
  template: string,
  notFound: string | null,
): ManagementRoute => ({ method, template, writes: true, notFound });

export const managementRoutes: readonly ManagementRoute[] = [
  read('/api/v1/projects', null),
  write('POST', '/api/v1/projects', null),
  read('/api/v1/projects/{id}', project),
  write('PATCH', '/api/v1/projects/{id}', project),
  write('DELETE', '/api/v1/projects/{id}', project),
  write('POST', '/api/v1/projects/{id}/webhook-secret', project),
  read('/api/v1/projects/{id}/forms', project),
  write('POST', '/api/v1/projects/{id}/forms', project),
  read('/api/v1/projects/{id}/submissions', project),
  read('/api/v1/forms/{id}', form),
  write('PATCH', '/api/v1/forms/{id}', form),
  write('DELETE', '/api/v1/forms/{id}', form),
  read('/api/v1/forms/{id}/aliases', form),
  write('POST', '/api/v1/forms/{id}/aliases', form),
  write('DELETE', '/api/v1/forms/{id}/aliases', form),
  read('/api/v1/forms/{id}/destinations', form),
  write('POST', '/api/v1/forms/{id}/destinations', form),
  read('/api/v1/projects/{id}/destinations', project),
  write('POST', '/api/v1/projects/{id}/destinations', project),
  read('/api/v1/destinations/{id}', destination),
  write('PATCH', '/api/v1/destinations/{id}', destination),
  write('DELETE', '/api/v1/destinations/{id}', destination),
  // Only reads, but needs a body.
  { ...write('POST', '/api/v1/forms/{id}/destinations/preview', form), writes: false },
  { ...write('POST', '/api/v1/projects/{id}/destinations/preview', project), writes: false },
  write('POST', '/api/v1/destinations/{id}/test', destination),
  write('POST', '/api/v1/destinations/{id}/backfill', destination),
  read('/api/v1/forms/{id}/submissions', form),
  read('/api/v1/forms/{id}/submissions/export', form),
  write('POST', '/api/v1/forms/{id}/import', form),
  read('/api/v1/forms/{id}/snippets', form),
  read('/api/v1/forms/{id}/sources', form),
  read('/api/v1/forms/{id}/fields', form),
  // Only reads, but needs a body.
  { ...write('POST', '/api/v1/forms/{id}/fields/check', form), writes: false },
  read('/api/v1/forms/{id}/schema', form),
  read('/api/v1/forms/{id}/types.ts', form),
  write('POST', '/api/v1/forms/{id}/duplicate', form),
  write('POST', '/api/v1/forms/{id}/move', form),
  read('/api/v1/forms/{id}/spam', form),
  read('/api/v1/spam', null),
  write('POST', '/api/v1/spam/{id}/release', 'There is nothing with this id in quarantine'),
  write('POST', '/api/v1/spam/release', null),
  write('POST', '/api/v1/spam/delete', null),
  write('POST', '/api/v1/spam/empty', null),
  write('DELETE', '/api/v1/spam/{id}', 'There is nothing with this id in quarantine'),
  read('/api/v1/forms/{id}/rejections', form),
  read('/api/v1/forms/{id}/suppressed-replies', form),
  write('POST', '/api/v1/forms/{id}/mail-preview', form),
  read('/api/v1/identity-providers', null),
  write('POST', '/api/v1/identity-providers', null),
  read('/api/v1/identity-providers/{id}', provider),
  write('PATCH', '/api/v1/identity-providers/{id}', provider),
  write('DELETE', '/api/v1/identity-providers/{id}', provider),
  write('POST', '/api/v1/identity-providers/{id}/test', provider),
  read('/api/v1/suppressed-addresses', null),
  // Only reads, but requires an owner.
  { ...read('/api/v1/audit', null), writes: true },
  { ...read('/api/v1/audit/export', null), writes: true },
  write('DELETE', '/api/v1/suppressed-addresses/{id}', 'Suppressed address not found'),
  write('POST', '/api/v1/persons/search', null),
  write('POST', '/api/v1/persons/export', null),
  write('POST', '/api/v1/persons/erase', null),
  // Requires an owner.
  { ...read('/api/v1/erasures', null), writes: true },
  { ...read('/api/v1/erasures/{id}', 'Erasure not found'), writes: true },
  write('POST', '/api/v1/erasures/check-receipt', null),
  read('/api/v1/forms/{id}/deliveries', form),
  read('/api/v1/projects/{id}/deliveries', project),
  { ...read('/api/v1/events', null), isEndless: true },
  read('/api/v1/stats', null),
  read('/api/v1/attention', null),
  read('/api/v1/instance', null),
  read('/api/v1/submissions', null),
  // Only reads, but needs a body.
  { ...write('POST', '/api/v1/submissions/export', null), writes: false },
  write('POST', '/api/v1/submissions/delete', null),
  read('/api/v1/submissions/{id}', submission),
  write('DELETE', '/api/v1/submissions/{id}', submission),
  write('PATCH', '/api/v1/submissions/{id}', submission),
  write('POST', '/api/v1/submissions/update', null),
  read('/api/v1/submissions/{id}/neighbours', submission),
  read('/api/v1/submissions/{id}/notes', submission),
  write('POST', '/api/v1/submissions/{id}/notes', submission),
  write('PATCH', '/api/v1/notes/{id}', 'Note not found'),
  write('DELETE', '/api/v1/notes/{id}', 'Note not found'),
  read('/api/v1/labels', null),
  write('POST', '/api/v1/labels', null),
  write('PATCH', '/api/v1/labels/{id}', 'Label not found'),
  write('DELETE', '/api/v1/labels/{id}', 'Label not found'),
  read('/api/v1/views', null),
  write('POST', '/api/v1/views', null),
  write('PATCH', '/api/v1/views/{id}', 'View not found'),
  write('DELETE', '/api/v1/views/{id}', 'View not found'),
  read('/api/v1/submissions/{id}/deliveries', submission),
  write('POST', '/api/v1/submissions/{id}/retry-webhook', submission),
  write('POST', '/api/v1/forms/{id}/webhook-test', form),
  write('POST', '/api/v1/projects/{id}/webhook-test', project),
  read('/api/v1/deliveries/{id}', 'Delivery not found'),
  read('/api/v1/deliveries/{id}/attempts/{number}', 'Delivery not found'),
  write('POST', '/api/v1/deliveries/replay', null),
  write('POST', '/api/v1/deliveries/retry', null),
  read('/api/v1/deliveries/replays', null),
  read('/api/v1/deliveries/replays/{id}', 'Replay not found'),
  write('POST', '/api/v1/deliveries/replays/{id}/cancel', 'Replay not found'),
  read('/api/v1/files/{id}', file),
  read('/api/v1/files/{id}/download', file),
  read('/api/v1/files/{id}/preview', file),
  write('POST', '/api/v1/files/{id}/signed-url', file),
  write('DELETE', '/api/v1/files/{id}', file),
  read('/api/v1/account', null),
  write('PATCH', '/api/v1/account', null),
  read('/api/v1/api-keys', null),
  write('POST', '/api/v1/api-keys', null),
  write('DELETE', '/api/v1/api-keys/{id}', 'API key not found'),
  read('/api/v1/users', null),
  write('POST', '/api/v1/users', null),
  write('PATCH', '/api/v1/users/{id}', 'User not found'),
  read('/api/v1/users/invitations', null),
  write('POST', '/api/v1/users/invitations', null),
  write('DELETE', '/api/v1/users/invitations/{id}', 'Invitation not found'),
  write('DELETE', '/api/v1/users/{id}', 'User not found'),
];

/** Only for users: keys cannot call these. */
export const personRoutes: readonly ManagementRoute[] = [
  write('POST', '/api/v1/forms/{id}/mail-test', form),
  // Changes only what belongs to the caller.
  { ...write('POST', '/api/v1/submissions/read-all', null), writes: false },
  read('/api/v1/unread', null),
];

export const pathOf = (route: ManagementRoute, id: string = unknownId): string =>
  route.template.replace('{id}', id).replace('{number}', '1');

/** A body that the route accepts. Returns undefined when it takes none. */
export const bodyOf = (route: ManagementRoute): string | undefined => {
  if (route.template === '/api/v1/submissions/{id}' && route.method === 'PATCH') return '{"is_starred":true}';
  if (route.writes && route.template.includes('/notes')) return '{"text":"Called back"}';
  if (route.template === '/api/v1/submissions/update') return '{"ids":["x"],"change":{}}';
  if (route.template.endsWith('/move')) return `{"project_id":"${unknownId}"}`;
  if (route.method === 'PATCH' && route.template.endsWith('/users/{id}')) return '{"role":"viewer"}';
  if (route.method === 'PATCH') return '{"name":"Renamed"}';
  if (route.writes && route.template.endsWith('/aliases')) return '{"alias":"their-old-id"}';
  if (route.method === 'POST' && route.template.endsWith('/destinations'))
    return '{"kind":"webhook","config":{"url":"https://example.com/"}}';
  if (/\/mail-(preview|test)$/.test(route.template)) return '{"kind":"notification","config":{}}';
  if (route.method === 'POST' && route.template.endsWith('/preview')) return '{"kind":"webhook"}';
  if (route.template.endsWith('/fields/check')) return '{"fields":[]}';
  if (route.template.endsWith('/backfill')) return '{"dry_run":true}';
  const bodiless = [
    '/webhook-secret',
    '/retry-webhook',
    '/cancel',
    '/destinations/{id}/test',
    '/identity-providers/{id}/test',
  ];
  if (route.method !== 'POST' || bodiless.some((end) => route.template.endsWith(end))) return undefined;
  if (/\/(signed-url|webhook-test)$/.test(route.template)) return '{}';
  if (route.template.endsWith('/replay')) return '{"project_id":"x","dry_run":true}';
  if (route.template.endsWith('/invitations')) return '{"email":"guest@example.com","role":"viewer"}';
  if (route.template.endsWith('/users')) return '{"email":"ada@example.com","password":"a long password"}';
  if (route.template.endsWith('/identity-providers'))
    return '{"name":"Made","issuer":"https://example.com/","client_id":"x","client_secret":"y"}';
  if (/\/(spam\/empty|read-all)$/.test(route.template)) return '{}';
  if (
    /^\/api\/v1\/(submissions\/(delete|export)|spam\/(release|delete)|deliveries\/retry)$/.test(
      route.template,
    )
  )
    return '{"ids":["x"]}';
  return '{"name":"Made"}';
};
