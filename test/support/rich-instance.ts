/** An instance as it is after some weeks. Everything that visitors can write contains what attackers would try. */

import { filePart, textPart } from './bodies.js';
import { type Client, client, makeForm } from './client.js';
import { picture } from './pictures.js';
import { refusingUrl } from './receivers.js';
import type { RunningServer } from './server.js';
import { postJson, postMultipart } from './visitor.js';

/** Each would show: as an element with the class, as a dialog, or as a request that the policy blocks. */
const hostile: readonly string[] = [
  '<img src=x onerror=alert(1) class=broke-out>',
  '"><script class="broke-out">alert(1)</script>',
  "'-alert(1)-'",
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}#{alert(1)}',
  '</textarea></title></style><b class="broke-out">x</b>',
  '\u202Etxt.exe\u202C \u2066\u2067 pay\u200bpal\u200f!',
  '<a href="javascript:alert(1)" class="broke-out">x</a>',
];

export interface RichInstance {
  readonly projectId: string;
  readonly formId: string;
  readonly submissionId: string;
  readonly deadFormId: string;
  readonly paths: Readonly<Record<string, string>>;
}

interface Ids {
  readonly projectId: string;
  readonly formId: string;
  readonly closedId: string;
  readonly submissionId: string;
  readonly destinationId: string;
}

/** Every page, relative to /dashboard. */
const pathsOf = ({
  projectId,
  formId,
  closedId,
  submissionId,
  destinationId,
}: Ids): Record<string, string> => ({
  overview: '',
  inbox: '/inbox',
  trash: '/inbox?folder=trash',
  projects: '/projects',
  project: `/projects/${projectId}`,
  'project settings': `/projects/${projectId}/settings`,
  'project deliveries': `/projects/${projectId}/deliveries`,
  'project destinations': `/projects/${projectId}/destinations`,
  submissions: `/forms/${formId}`,
  fields: `/forms/${formId}/fields`,
  'form settings': `/forms/${formId}/settings`,
  destinations: `/forms/${formId}/destinations`,
  'kinds of destinations': `/forms/${formId}/destinations/new`,
  'add a destination': `/forms/${formId}/destinations/new?kind=webhook`,
  destination: `/destinations/${destinationId}`,
  deliveries: `/forms/${formId}/deliveries`,
  'form quarantine': `/forms/${formId}/quarantine`,
  rejected: `/forms/${closedId}/rejections`,
  'form numbers': `/forms/${formId}/numbers`,
  snippets: `/forms/${formId}/snippets`,
  import: `/forms/${formId}/import`,
  submission: `/submissions/${submissionId}`,
  quarantine: '/quarantine',
  'api keys': '/api-keys',
  users: '/users',
  yourAccount: '/your-account',
  'single sign-on': '/single-sign-on',
  'suppressed addresses': '/suppressed-addresses',
  person: '/person',
  'audit log': '/audit',
  plan: '/plan',
  instance: '/instance',
  'first run': '/first-run',
  'an unknown page': '/nowhere',
});

export const pageNames = Object.keys(
  pathsOf({ projectId: '', formId: '', closedId: '', submissionId: '', destinationId: '' }),
);

/** A destination whose filter and template name fields, which come from visitors. */
async function addDestination(api: Client, formId: string): Promise<string> {
  const made = await api.post(`/api/v1/forms/${formId}/destinations`, {
    kind: 'webhook',
    name: `${hostile[0]} \u202Enoitanitsed\u202C`,
    config: { url: await refusingUrl(), headers: { 'X-Team': hostile[5], Authorization: 'Bearer secret' } },
    filter: { submission: { data: { name: { $in: hostile }, [hostile[1] ?? '']: { $neq: '' } } } },
    template: { text: `${hostile[2]} {{fields.name}}` },
    retry: { delays: [30, 300] },
  });
  if (made.status !== 201) throw new Error(`destination: ${made.status} ${made.text}`);
  return made.body.id as string;
}

export async function fillInstance(server: RunningServer): Promise<RichInstance> {
  const api: Client = client(server.url);
  const form = await makeForm(server.url, {
    project: { name: `Website ${hostile[0]} \u202Etcejorp\u202C` },
    form: { name: `Contact ${hostile[1]} \u202Emrof\u202C \u2067`, webhook_url: await refusingUrl() },
  });
  const headers = {
    referer: `https://example.com/?${encodeURIComponent(hostile[0] ?? '')}`,
    'user-agent': hostile[5] ?? '',
  };
  for (const value of hostile) {
    await postJson(
      form.endpoint,
      { [value]: value, name: value, email: value, list: [value, { [value]: value }] },
      headers,
    );
  }
  const png = Buffer.from(await picture('png', 320, 240));
  const sent = await postMultipart(
    form.endpoint,
    [
      ...hostile.map((value, i) => textPart(`field ${i}`, value)),
      filePart('cv', 'x"><img src=x onerror=alert(1)>.html', '<script>alert(1)</script>', 'text/html'),
      filePart(
        'logo',
        '\u202Egnp.svg',
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        'image/svg+xml',
      ),
      filePart('photo', 'photo.png', png, 'image/png'),
    ],
    { accept: 'application/json', ...headers },
  );
  if (sent.status !== 200) throw new Error(`submission: ${sent.status} ${sent.text}`);
  for (const value of hostile)
    await postJson(form.endpoint, { name: value, [value]: value, _gotcha: value }, headers);
  const closed = await makeForm(server.url, { form: { allowed_origins: ['example.com'], name: 'Closed' } });
  for (const origin of [
    'https://staging.example.org',
    'https://x.test/"><img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
  ]) {
    await postJson(closed.endpoint, { a: 1 }, { origin, 'user-agent': hostile[0] ?? '' });
  }
  await api.post('/api/v1/api-keys', { name: `${hostile[0]} \u202Eyek`, scope: 'read' });
  const { formId, projectId } = form;
  const destinationId = await addDestination(api, formId);
  const ruled = await api.patch(`/api/v1/forms/${formId}`, {
    fields: [
      { name: 'name', type: 'text', label: hostile[0], help: hostile[1], placeholder: hostile[2] },
      { name: hostile[1], type: 'choice', choices: hostile },
      { name: 'cv', type: 'file', label: `${hostile[5]} \u202Eelif` },
    ],
  });
  if (ruled.status !== 200) throw new Error(`rules: ${ruled.status} ${ruled.text}`);
  return {
    projectId,
    formId,
    submissionId: sent.body.submission_id as string,
    deadFormId: closed.formId,
    paths: pathsOf({
      projectId,
      formId,
      closedId: closed.formId,
      submissionId: sent.body.submission_id,
      destinationId,
    }),
  };
}
