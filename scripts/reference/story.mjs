/** Calls every operation on the instance of a small company. The reference shows these calls as examples. */
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { totpCode, totpStepAt } from '#inlet/kernel/totp.js';
import { createAuthenticator } from './authenticator.mjs';
import { userAgent } from './recorder.mjs';
import { unknownAddress } from './surroundings.mjs';

const password = 'correct horse battery';
const page = { origin: 'https://www.example.com' };

const people = [
  { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Do you ship to London?' },
  { name: 'Grace Hopper', email: 'grace@example.net', message: 'There is a bug on your checkout page.' },
  { name: 'Katherine Johnson', email: 'katherine@example.org', message: 'Please call me back.' },
];

/** Polls until `look` finds something, which happens within seconds. */
export async function waitFor(what, look) {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const found = await look();
    if (found) return found;
    await pause(50);
  }
  throw new Error(`Waited in vain for ${what}`);
}

const send = async (url, publicId, body, headers = {}) => {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}/f/${publicId}`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...page,
      ...headers,
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  return response.json();
};

async function beginning({ call, setupToken }) {
  await call('getSetup');
  await call('completeSetup', { body: { token: setupToken, email: 'ada@example.com', password } });
  await call('signIn', { body: { email: 'ada@example.com', password } });
  const { account } = await call('getSession');
  await call('switchAccount', { body: { account_id: account.id } });
  const { id } = await call('createUser', { body: { email: 'grace@example.com', password } });
  await call('listUsers');
  await call('updateUser', { params: { id }, body: { role: 'editor' } });
  return { userId: id };
}

async function projectAndForm({ call, know, endpoint }) {
  const project = await call('createProject', {
    body: { name: 'Website', webhook_url: `${endpoint.url}/inlet`, notify_emails: ['team@example.com'] },
  });
  const id = project.id;
  await call('updateProject', { params: { id }, body: { rate_limit_per_minute: 120 } });
  const form = await call('createForm', {
    params: { id },
    body: {
      name: 'Contact',
      fields: [
        { name: 'name', type: 'text', label: 'Your name', required: true },
        { name: 'email', type: 'email', label: 'E-mail', required: true },
        { name: 'message', type: 'textarea', label: 'Message', max_length: 5000 },
      ],
    },
  });
  know(form.public_id, 'hR3kZ8wQvT5n');
  await call('updateForm', {
    params: { id: form.id },
    body: { success_redirect: 'https://www.example.com/thanks', hosted_page: true },
  });
  return { projectId: id, formId: form.id, publicId: form.public_id };
}

async function submissions({ call, url }, { publicId }) {
  const params = { form_id: publicId };
  const [first, ...others] = people;
  const { submission_id: firstId } = await call('submitForm', { params, body: first });
  const ids = [firstId];
  for (const person of others) ids.push((await send(url, publicId, person)).submission_id);
  const withFiles = new FormData();
  for (const [name, value] of Object.entries(first)) withFiles.set(name, value);
  const photo = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#0f6e6e' } })
    .png()
    .toBuffer();
  withFiles.set('photo', new Blob([photo], { type: 'image/png' }), 'garden.png');
  withFiles.set('notes', new Blob(['Size 38, blue.\n'], { type: 'text/plain' }), 'notes.txt');
  ids.push((await send(url, publicId, withFiles)).submission_id);
  await call('showHostedPage', { params, query: { name: 'Ada' } });
  await call('getFormAccess', { params, headers: { Origin: page.origin } });
  await call('showSuccessPage', { params });
  return ids;
}

async function aboutForms({ call, know, url }, { projectId, formId }) {
  const params = { id: formId };
  await call('listProjects', { query: { limit: '20' } });
  await call('getProject', { params: { id: projectId } });
  await call('listForms', { params: { id: projectId } });
  await call('getForm', { params });
  await call('getFormSnippets', { params });
  await call('getFormSources', { params });
  await call('getFormFields', { params });
  await call('checkFormFields', {
    params,
    body: { fields: [{ name: 'message', type: 'textarea', required: true, max_length: 20 }] },
  });
  await call('getFormSchema', { params });
  await call('getFormTypes', { params });
  const copy = await call('duplicateForm', { params, body: { name: 'Support' } });
  know(copy.public_id, 'Jm4cX9pLbW2s');
  const shop = await call('createProject', { body: { name: 'Shop' } });
  await call('moveForm', { params: { id: copy.id }, body: { project_id: shop.id } });
  await call('addAlias', { params, body: { alias: 'mqkvzzrn' } });
  await call('listAliases', { params });
  await call('removeAlias', { params, body: { alias: 'mqkvzzrn' } });
  await call('updateForm', {
    params: { id: copy.id },
    body: { captcha_enabled: true, captcha_provider: 'altcha' },
  });
  await call('getChallenge', { params: { form_id: copy.public_id } });
  await call('updateForm', { params: { id: copy.id }, body: { allowed_origins: ['shop.example.com'] } });
  await send(url, copy.public_id, people[0], { origin: 'https://staging.example.com' });
  await call('getFormRejections', { params: { id: copy.id }, query: { days: '1' } });
  await call('deleteForm', { params: { id: copy.id } });
  await call('deleteProject', { params: { id: shop.id } });
  await call('listProjectSubmissions', { params: { id: projectId }, query: { limit: '1' } });
}

async function destinations({ call, endpoint }, { projectId, formId }) {
  const crm = await call('createFormDestination', {
    params: { id: formId },
    body: {
      kind: 'webhook',
      name: 'CRM',
      config: { url: `${endpoint.url}/crm`, headers: { 'X-Team': 'sales' } },
      filter: { submission: { data: { email: { $endsWith: '@example.com' } } } },
    },
  });
  const team = await call('createProjectDestination', {
    params: { id: projectId },
    body: { kind: 'email', name: 'Support team', config: { to: ['support@example.com'] } },
  });
  await call('listFormDestinations', { params: { id: formId } });
  await call('listProjectDestinations', { params: { id: projectId } });
  const params = { id: crm.id };
  await call('getDestination', { params });
  await call('updateDestination', { params, body: { name: 'CRM, sales' } });
  await call('previewFormDestination', {
    params: { id: formId },
    body: { kind: 'slack', template: 'New message from {{fields.name}}' },
  });
  await call('previewProjectDestination', {
    params: { id: projectId },
    body: { kind: 'webhook', filter: { submission: { data: { name: { $neq: '' } } } } },
  });
  await call('testDestination', { params });
  await call('backfillDestination', { params, body: { since: '2026-01-01T00:00:00Z', per_minute: 60 } });
  await call('deleteDestination', { params: { id: team.id } });
}

async function reading({ call }, { formId }, ids) {
  const [first, second, third] = ids;
  const params = { id: first };
  await call('listFormSubmissions', { params: { id: formId }, query: { limit: '2' } });
  await call('listSubmissions', { query: { q: 'Ada', limit: '2' } });
  await call('getSubmission', { params, query: { include: 'inbox' } });
  await call('getSubmissionNeighbours', { params, query: { form_id: formId } });
  await call('exportSubmissions', { params: { id: formId }, query: { format: 'csv' } });
  await call('exportSelectedSubmissions', { body: { ids: [first, second], format: 'jsonl' } });
  await call('importSubmissions', {
    params: { id: formId },
    query: { date: 'created_at' },
    type: 'text/csv',
    body: 'created_at,name,email\n2024-01-31T12:00:00Z,Emmy Noether,emmy@example.org\n',
  });
  const label = await call('createLabel', { body: { name: 'Urgent', color: 'red' } });
  await call('listLabels');
  await call('updateLabel', { params: { id: label.id }, body: { color: 'orange' } });
  await call('updateSubmission', { params, body: { is_starred: true, labels: [label.id] } });
  await call('updateSubmissions', { body: { ids: [second, third], change: { folder: 'archive' } } });
  await call('countUnread');
  await call('readAllSubmissions', { body: { form_id: formId } });
  const note = await call('createNote', { params, body: { text: 'Called back, sends the order today.' } });
  await call('listNotes', { params });
  await call('updateNote', { params: { id: note.id }, body: { text: 'Called back. Order arrived.' } });
  await call('deleteNote', { params: { id: note.id } });
  const view = await call('createView', { body: { name: 'Starred', query: { is_starred: true } } });
  await call('listViews');
  await call('updateView', { params: { id: view.id }, body: { name: 'Important' } });
  await call('deleteView', { params: { id: view.id } });
  await call('deleteLabel', { params: { id: label.id } });
}

async function deliveries({ call }, { projectId, formId }, ids) {
  const params = { id: ids[0] };
  const arrived = await waitFor('the webhooks', async () => {
    const { data } = await call('listSubmissionDeliveries', { params, keep: false });
    return data.every(({ state }) => state === 'delivered') && data;
  });
  await call('listSubmissionDeliveries', { params });
  const webhook = arrived.find(({ kind }) => kind === 'webhook') ?? arrived[0];
  await call('getDelivery', { params: { id: webhook.id } });
  await call('getDeliveryAttempt', { params: { id: webhook.id, number: '1' } });
  await call('listFormDeliveries', { params: { id: formId }, query: { limit: '2' } });
  await call('listProjectDeliveries', {
    params: { id: projectId },
    query: { state: 'delivered', limit: '1' },
  });
  await call('retrySubmissionWebhooks', { params });
  await call('testFormWebhook', { params: { id: formId }, body: {} });
  await call('testProjectWebhook', { params: { id: projectId }, body: {} });
  await call('retryDeliveries', { body: { ids: [webhook.id] } });
  const replay = await call('replayDeliveries', {
    body: { form_id: formId, state: 'delivered', per_minute: 1 },
  });
  await call('listReplays');
  await call('getReplay', { params: { id: replay.id } });
  await call('cancelReplay', { params: { id: replay.id } });
}

async function persons({ call, url }, { publicId }) {
  const q = 'sam.taylor@example.com';
  await send(url, publicId, { ...people[0], name: 'Sam Taylor', email: q });
  await call('searchPerson', { body: { q } });
  await call('exportPerson', { body: { q } });
  const { id } = await call('erasePerson', { body: { q } });
  await waitFor('the erasure', async () => {
    const { status } = await call('getErasure', { params: { id }, keep: false });
    return status === 'finished';
  });
  const { receipt } = await call('getErasure', { params: { id } });
  await call('listErasures');
  await call('checkErasureReceipt', { body: receipt });
}

async function files({ call }, ids) {
  const { files: uploaded } = await call('getSubmission', { params: { id: ids.at(-1) }, keep: false });
  const photo = uploaded.find(({ field }) => field === 'photo');
  const notes = uploaded.find(({ field }) => field === 'notes');
  const params = { id: photo.id };
  await call('getFile', { params });
  const content = await call('downloadFile', { params, query: { w: '320', f: 'webp' } });
  const query = Object.fromEntries(new URL(content).searchParams);
  await call('getFileContent', { params, query });
  await call('createSignedUrl', { params, body: { expires_in: 3600 } });
  await call('previewFile', { params: { id: notes.id } });
  await call('deleteFile', { params: { id: notes.id } });
}

async function quarantine({ call, url }, { formId, publicId }) {
  for (let n = 1; n <= 6; n += 1)
    await send(url, publicId, { ...people[0], name: 'Best prices', message: `Offer ${n}`, _gotcha: 'yes' });
  const { data } = await waitFor('the quarantine', async () => {
    const list = await call('listQuarantine', { keep: false });
    return list.data.length === 6 && list;
  });
  const [a, b, c, d] = data.map(({ id }) => id);
  await call('listQuarantine', { query: { limit: '2' } });
  await call('listFormQuarantine', { params: { id: formId }, query: { limit: '1' } });
  await call('releaseQuarantined', { params: { id: a } });
  await call('releaseManyQuarantined', { body: { ids: [b] } });
  await call('deleteManyQuarantined', { body: { ids: [c] } });
  await call('deleteQuarantined', { params: { id: d } });
  await call('emptyQuarantine', { body: { form_id: formId } });
}

async function replies({ call, url, know }, { projectId }) {
  const form = await call('createForm', {
    params: { id: projectId },
    keep: false,
    body: {
      name: 'Newsletter',
      autoresponder: {
        field: 'email',
        subject: 'Thank you',
        text: 'Hello {{fields.name}}, we got your message.',
      },
    },
  });
  know(form.public_id, 'Vd6tY2fGkN8b');
  const draft = {
    kind: 'reply',
    config: { field: 'email', subject: 'Thank you, {{fields.name}}', text: 'We got your message.' },
  };
  await call('previewMail', { params: { id: form.id }, body: draft });
  await call('testMail', { params: { id: form.id }, body: draft });
  await send(url, form.public_id, { name: 'Grace Hopper', email: unknownAddress });
  const { data } = await waitFor('the bounce', async () => {
    const list = await call('listSuppressedAddresses', { keep: false });
    return list.data.length > 0 && list;
  });
  await call('listSuppressedAddresses');
  await call('getSuppressedReplies', { params: { id: form.id }, query: { days: '1' } });
  await call('liftSuppressedAddress', { params: { id: data[0].id } });
}

/** Ten failures in a row make a destination failing; one that fails for too long is disabled. */
async function trouble({ call, url, endpoint, events }, { projectId }) {
  const form = await call('createForm', { params: { id: projectId }, keep: false, body: { name: 'Orders' } });
  for (const [name, path] of Object.entries({ Warehouse: '/down', 'Old shop': '/closed' })) {
    await call('createFormDestination', {
      params: { id: form.id },
      keep: false,
      body: { kind: 'webhook', name, config: { url: endpoint.url + path } },
    });
  }
  for (let n = 0; n < 12; n += 1) await send(url, form.public_id, { order: n });
  await waitFor('the failing destination', () => events.has('destination.failing'));
  await call('listAttention');
  endpoint.recover();
  await waitFor('the recovered destination', () => events.has('destination.recovered'));
  await waitFor('the disabled destination', () => events.has('destination.disabled'));
  await call('rotateWebhookSecret', { params: { id: projectId } });
}

const shownToken = (n) => `${'Zk3vQ8mT1xW6bN4cR7yL2pH9sD5fG0jAqE4uK7wXzB'.slice(0, 42)}${n}`;
const shownCodes = ['k4wm-x8qp-2c9t-h7rb', '9fze-v3ny-6dja-u5sg'];

async function invitations({ call, know }) {
  const unwanted = { email: 'joan@example.com', role: 'viewer' };
  const { id } = await call('createInvitation', { body: unwanted, keep: false });
  await call('revokeInvitation', { params: { id } });
  const made = await call('createInvitation', { body: { email: 'katherine@example.com', role: 'editor' } });
  const token = made.accept_url.split('#token=')[1];
  know(token, shownToken(1));
  await call('listInvitations');
  await call('findInvitation', { body: { token } });
  await call('acceptInvitation', { body: { token, password } });
}

async function singleSignOn({ call, endpoint }) {
  const provider = await call('createIdentityProvider', {
    body: {
      ...{ name: 'Acme', issuer: endpoint.url, client_id: 'inlet', client_secret: 'from-your-provider' },
      ...{ domains: ['example.com'], role_claim: 'groups', roles: { 'inlet-admins': 'owner' } },
    },
  });
  const params = { id: provider.id };
  await call('listIdentityProviders');
  await call('getIdentityProvider', { params });
  await call('updateIdentityProvider', { params, body: { name: 'Acme Inc.' } });
  await call('testIdentityProvider', { params });
  await call('listSignInProviders', { query: { email: 'ada@example.com' } });
  await call('startProviderSignIn', { params });
  await call('finishProviderSignIn', { params });
  await call('signOutOfProvider', { params });
  await call('deleteIdentityProvider', { params });
}

async function ownLogin({ call, know, url, mailServer }) {
  const credentials = { email: 'katherine@example.com', password };
  await call('signIn', { body: credentials, keep: false });
  const { data } = await call('listSessions');
  await call('endSession', { params: { id: data.find(({ current }) => !current).id } });
  await call('endOtherSessions');
  const own = { current_password: password };
  const { secret } = await call('beginAuthenticator', { body: own });
  know(secret, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP');
  const codeAt = (steps) => {
    const code = totpCode(secret, totpStepAt(Date.now()) + steps);
    know(code, '287082');
    return code;
  };
  const { recovery_codes: first } = await call('confirmAuthenticator', { body: { code: codeAt(-1) } });
  const { recovery_codes: second } = await call('renewRecoveryCodes', { body: own });
  for (const [place, code] of [...first, ...second].entries()) know(code, shownCodes[place % 2]);
  await call('getFactors');
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const { pending_token } = await response.json();
  know(pending_token, 'v1.Zk3vQ8mT1xW6bN4cR7yL2pH9sD5fG0jA');
  await call('showSecondFactor', { body: { pending_token, code: codeAt(1) } });
  await call('removeAuthenticator', { body: own });
  await call('requestEmailChange', { body: { email: 'k.johnson@example.com', ...own } });
  const confirming = await waitFor('a link', () => mailServer.tokenFor('confirm-email'));
  know(confirming, shownToken(2));
  await call('confirmEmailChange', { body: { token: confirming } });
  await call('requestPasswordReset', { body: { email: 'k.johnson@example.com' } });
  const resetting = await waitFor('a link', () => mailServer.tokenFor('reset-password'));
  know(resetting, shownToken(3));
  await call('completePasswordReset', {
    body: { token: resetting, password: 'a new and longer password' },
  });
  await call('signIn', { body: { email: 'ada@example.com', password }, keep: false });
}

async function passkeys({ call, know }) {
  await call('signIn', { body: { email: 'grace@example.com', password }, keep: false });
  const own = { current_password: password };
  const adding = await call('beginPasskey', { body: own });
  know(adding.token, 'v1.pH9sD5fG0jAZk3vQ8mT1xW6bN4cR7yL2');
  know(adding.challenge, shownToken(4));
  const device = createAuthenticator({ rpId: adding.rp_id, origin: 'http://localhost:3000' });
  const shown = (parts) => {
    for (const [name, value] of Object.entries(parts))
      know(value, `${name.replaceAll('_', '-')}-of-the-device`);
    return parts;
  };
  const created = shown(device.create(adding));
  const { recovery_codes } = await call('addPasskey', {
    body: { token: adding.token, name: 'Laptop', ...created },
  });
  for (const [place, code] of recovery_codes.entries()) know(code, shownCodes[place % 2]);
  const { id } = created;
  await call('renamePasskey', { params: { id }, body: { name: 'Work laptop' } });
  const signing = await call('beginPasskeySignIn');
  know(signing.token, 'v1.cR7yL2pH9sD5fG0jAZk3vQ8mT1xW6bN4');
  know(signing.challenge, shownToken(5));
  await call('signInWithPasskey', { body: { token: signing.token, ...shown(device.answer(signing)) } });
  await call('removePasskey', { params: { id }, body: own });
  await call('signIn', { body: { email: 'ada@example.com', password }, keep: false });
}

async function account({ call, know }, { userId }) {
  await call('getAccount');
  await call('updateAccount', { body: { name: 'Our websites' } });
  const key = await call('createApiKey', { body: { name: 'Website build', scope: 'read' } });
  know(key.api_key, 'inlet_Zk3vQ8mT1xW6bN4cR7yL2pH9sD5fG0jA');
  know(key.prefix, 'inlet_Zk3vQ8');
  await call('listApiKeys');
  await call('revokeApiKey', { params: { id: key.id } });
  await call('listAuditEntries', { query: { action: 'api_key', limit: '1' } });
  await call('exportAuditEntries', { query: { action: 'api_key.revoked', format: 'csv' } });
  await call('getStats', { query: { days: '2' } });
  await call('getInstance');
  await call('deleteUser', { params: { id: userId } });
  await call('changePassword', {
    body: { current_password: password, new_password: 'a new and longer password' },
  });
  await call('signOut', { as: 'session' });
}

export async function tell(world) {
  const { call } = world;
  const user = await beginning(world);
  const form = await projectAndForm(world);
  const ids = await submissions(world, form);
  await aboutForms(world, form);
  await destinations(world, form);
  await reading(world, form, ids);
  await deliveries(world, form, ids);
  await files(world, ids);
  await quarantine(world, form);
  await persons(world, form);
  await replies(world, form);
  await trouble(world, form);
  await singleSignOn(world);
  await invitations(world);
  await ownLogin(world);
  await passkeys(world);
  await account(world, user);
  await call('deleteSubmission', { params: { id: ids[0] } });
  await call('deleteSubmissions', { body: { ids: ids.slice(1, 3) } });
}
