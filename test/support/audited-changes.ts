/** Every operation that changes something, with the entry it leaves in the audit log. */
import { expect } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { type AuditWorld, auditFixtures } from './audited-fixtures.js';
import { type Answer, request } from './client.js';
import { send, signedIn, signIn } from './dashboard.js';
import { apiKey } from './server.js';
import { codeOf } from './sign-in.js';
import { submit } from './webhooks.js';

const v1 = '/api/v1';
const aProvider = { name: 'Acme', issuer: 'https://example.com/', client_id: 'x', client_secret: 'y' };

/** Prepares what the call needs, and returns the call. */
type Prepare = () => Promise<() => Promise<Answer>>;
/** Several actions of one call are separated by spaces, in alphabetical order. */
export type Audited = Readonly<Record<string, readonly [actions: string, prepare: Prepare]>>;

/** For a call that needs one thing. */
const given =
  <T>(prepare: () => Promise<T>, call: (prepared: T) => Promise<Answer>): Prepare =>
  async () => {
    const prepared = await prepare();
    return () => call(prepared);
  };

/** A route that is missing here fails test/http/management/audit.test.ts. */
export function auditedChanges(world: AuditWorld): Audited {
  const { server, api, receiver } = world;
  const { made, aForm, aSubmission, aFile, aTrapped, aDelivery, aSuppressed, aDestination, someone } =
    auditFixtures(world);
  const aNote = async () => made(`/submissions/${await aSubmission()}/notes`, { text: 'Called back' });
  const aPerson = async () => {
    const who = someone();
    await made('/users', who);
    return { who, person: await signedIn(server(), who) };
  };
  /** A user who has started to set up an authenticator app, or has finished. */
  const withApp = async (isConfirmed: boolean) => {
    const { who, person } = await aPerson();
    const { secret } = (await person.ask('POST', '/session/totp', { current_password: who.password })).body;
    if (isConfirmed) await person.ask('PUT', '/session/totp', { code: codeOf(secret) });
    return { person, secret, password: who.password };
  };
  return {
    signIn: ['session.started', async () => () => signIn(server())],
    signOut: [
      'session.ended',
      given(
        () => signedIn(server()),
        (person) => person.ask('DELETE', '/session'),
      ),
    ],
    changePassword: [
      'user.password_changed',
      given(aPerson, ({ who, person }) =>
        person.ask('PUT', '/session/password', {
          current_password: who.password,
          new_password: 'an even longer one',
        }),
      ),
    ],
    updateUser: [
      'user.updated',
      given(
        () => made('/users', someone()),
        (id) => api().patch(`${v1}/users/${id}`, { role: 'viewer' }),
      ),
    ],
    createUser: ['user.created', async () => () => api().post(`${v1}/users`, someone())],
    updateAccount: [
      'account.updated',
      async () => {
        const rename = (name: string) => api().patch(`${v1}/account`, { name });
        await rename('Their account');
        return () => rename('Default');
      },
    ],
    deleteUser: [
      'user.deleted',
      given(
        () => made('/users', someone()),
        (id) => api().delete(`${v1}/users/${id}`),
      ),
    ],
    createInvitation: [
      'invitation.created',
      async () => () => api().post(`${v1}/users/invitations`, { email: someone().email, role: 'viewer' }),
    ],
    revokeInvitation: [
      'invitation.deleted',
      given(
        () => made('/users/invitations', { email: someone().email, role: 'viewer' }),
        (id) => api().delete(`${v1}/users/invitations/${id}`),
      ),
    ],
    acceptInvitation: [
      'session.started user.created',
      async () => {
        const { email, password } = someone();
        const { body } = await api().post(`${v1}/users/invitations`, { email, role: 'viewer' });
        const token = new URL(body.accept_url).hash.slice('#token='.length);
        return () => send(server().url, 'POST', '/session/invitation', {}, { token, password });
      },
    ],
    endSession: [
      'session.ended',
      async () => {
        const { who, person } = await aPerson();
        await signedIn(server(), who);
        const { data } = (await person.ask('GET', '/session/list')).body;
        const other = data.find((session: { current: boolean }) => !session.current);
        return () => person.ask('DELETE', `/session/list/${other.id}`);
      },
    ],
    endOtherSessions: [
      'session.ended',
      async () => {
        const { who, person } = await aPerson();
        await signedIn(server(), who);
        return () => person.ask('DELETE', '/session/list');
      },
    ],
    confirmAuthenticator: [
      'authenticator.added',
      given(
        () => withApp(false),
        ({ person, secret }) => person.ask('PUT', '/session/totp', { code: codeOf(secret) }),
      ),
    ],
    removeAuthenticator: [
      'authenticator.removed',
      given(
        () => withApp(true),
        ({ person, password }) => person.ask('DELETE', '/session/totp', { current_password: password }),
      ),
    ],
    renewRecoveryCodes: [
      'recovery_codes.renewed',
      given(
        () => withApp(true),
        ({ person, password }) =>
          person.ask('POST', '/session/recovery-codes', { current_password: password }),
      ),
    ],
    createIdentityProvider: [
      'identity_provider.created',
      async () => () => api().post(`${v1}/identity-providers`, aProvider),
    ],
    updateIdentityProvider: [
      'identity_provider.updated',
      given(
        () => made('/identity-providers', aProvider),
        (id) => api().patch(`${v1}/identity-providers/${id}`, { name: 'Renamed' }),
      ),
    ],
    deleteIdentityProvider: [
      'identity_provider.deleted',
      given(
        () => made('/identity-providers', aProvider),
        (id) => api().delete(`${v1}/identity-providers/${id}`),
      ),
    ],
    searchPerson: [
      'person.searched',
      async () => () => api().post(`${v1}/persons/search`, { q: 'nobody@example.com' }),
    ],
    exportPerson: [
      'person.exported',
      async () => () => api().post(`${v1}/persons/export`, { q: 'nobody@example.com' }),
    ],
    erasePerson: [
      'person.erased',
      async () => () => api().post(`${v1}/persons/erase`, { q: 'nobody@example.com' }),
    ],
    createApiKey: ['api_key.created', async () => () => api().post(`${v1}/api-keys`, { name: 'Backups' })],
    revokeApiKey: [
      'api_key.revoked',
      given(
        () => made('/api-keys', { name: 'Backups' }),
        (id) => api().delete(`${v1}/api-keys/${id}`),
      ),
    ],
    createProject: ['project.created', async () => () => api().post(`${v1}/projects`, { name: 'Site' })],
    updateProject: [
      'project.updated',
      given(aForm, ({ projectId }) => api().patch(`${v1}/projects/${projectId}`, { name: 'Other' })),
    ],
    deleteProject: [
      'project.deleted',
      given(aForm, ({ projectId }) => api().delete(`${v1}/projects/${projectId}`)),
    ],
    rotateWebhookSecret: [
      'project.secret_rotated',
      given(aForm, ({ projectId }) => api().post(`${v1}/projects/${projectId}/webhook-secret`)),
    ],
    createForm: [
      'form.created',
      given(aForm, ({ projectId }) => api().post(`${v1}/projects/${projectId}/forms`, { name: 'Second' })),
    ],
    updateForm: [
      'form.updated',
      given(aForm, ({ formId }) => api().patch(`${v1}/forms/${formId}`, { name: 'Renamed' })),
    ],
    duplicateForm: [
      'form.duplicated',
      given(aForm, ({ formId }) => api().post(`${v1}/forms/${formId}/duplicate`)),
    ],
    moveForm: [
      'form.moved',
      async () => {
        const [{ formId }, { projectId }] = [await aForm(), await aForm()];
        return () => api().post(`${v1}/forms/${formId}/move`, { project_id: projectId });
      },
    ],
    deleteForm: ['form.deleted', given(aForm, ({ formId }) => api().delete(`${v1}/forms/${formId}`))],
    addAlias: [
      'alias.created',
      given(aForm, ({ formId }) => api().post(`${v1}/forms/${formId}/aliases`, { alias: `old-${formId}` })),
    ],
    removeAlias: [
      'alias.deleted',
      async () => {
        const { formId } = await aForm();
        await made(`/forms/${formId}/aliases`, { alias: `old-${formId}` });
        return () => api().delete(`${v1}/forms/${formId}/aliases`, { alias: `old-${formId}` });
      },
    ],
    createFormDestination: [
      'destination.created',
      async () => {
        const { formId } = await aForm();
        const body = { kind: 'webhook', config: { url: receiver().url } };
        return () => api().post(`${v1}/forms/${formId}/destinations`, body);
      },
    ],
    createProjectDestination: [
      'destination.created',
      async () => {
        const { projectId } = await aForm();
        const body = { kind: 'webhook', config: { url: receiver().url } };
        return () => api().post(`${v1}/projects/${projectId}/destinations`, body);
      },
    ],
    updateDestination: [
      'destination.updated',
      given(aDestination, (id) => api().patch(`${v1}/destinations/${id}`, { name: 'Renamed' })),
    ],
    deleteDestination: [
      'destination.deleted',
      given(aDestination, (id) => api().delete(`${v1}/destinations/${id}`)),
    ],
    backfillDestination: [
      'replay.started',
      given(aDestination, (id) => api().post(`${v1}/destinations/${id}/backfill`, {})),
    ],
    createLabel: ['label.created', async () => () => api().post(`${v1}/labels`, { name: newId(Date.now()) })],
    updateLabel: [
      'label.updated',
      given(
        () => made('/labels', { name: newId(Date.now()) }),
        (id) => api().patch(`${v1}/labels/${id}`, { color: 'red' }),
      ),
    ],
    deleteLabel: [
      'label.deleted',
      given(
        () => made('/labels', { name: newId(Date.now()) }),
        (id) => api().delete(`${v1}/labels/${id}`),
      ),
    ],
    createView: ['view.created', async () => () => api().post(`${v1}/views`, { name: 'Mine' })],
    updateView: [
      'view.updated',
      given(
        () => made('/views', { name: 'Mine' }),
        (id) => api().patch(`${v1}/views/${id}`, { name: 'Ours' }),
      ),
    ],
    deleteView: [
      'view.deleted',
      given(
        () => made('/views', { name: 'Mine' }),
        (id) => api().delete(`${v1}/views/${id}`),
      ),
    ],
    createNote: [
      'note.created',
      given(aSubmission, (id) => api().post(`${v1}/submissions/${id}/notes`, { text: 'Called back' })),
    ],
    updateNote: ['note.updated', given(aNote, (id) => api().patch(`${v1}/notes/${id}`, { text: 'Called' }))],
    deleteNote: ['note.deleted', given(aNote, (id) => api().delete(`${v1}/notes/${id}`))],
    updateSubmission: [
      'submission.updated',
      given(aSubmission, (id) => api().patch(`${v1}/submissions/${id}`, { is_starred: true })),
    ],
    updateSubmissions: [
      'submissions.updated',
      given(aSubmission, (id) =>
        api().post(`${v1}/submissions/update`, { ids: [id], change: { folder: 'trash' } }),
      ),
    ],
    deleteSubmission: [
      'submission.deleted',
      given(aSubmission, (id) => api().delete(`${v1}/submissions/${id}`)),
    ],
    deleteSubmissions: [
      'submissions.deleted',
      given(aSubmission, (id) => api().post(`${v1}/submissions/delete`, { ids: [id] })),
    ],
    exportSelectedSubmissions: [
      'submissions.exported',
      given(aSubmission, (id) => api().post(`${v1}/submissions/export`, { ids: [id] })),
    ],
    importSubmissions: [
      'submissions.imported',
      given(aForm, ({ formId }) =>
        request(`${server().url}${v1}/forms/${formId}/import?default_date=2026-01-31`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' },
          body: 'name\r\nAda\r\n',
        }),
      ),
    ],
    createSignedUrl: ['file.shared', given(aFile, ({ id }) => api().post(`${v1}/files/${id}/signed-url`))],
    deleteFile: ['file.deleted', given(aFile, ({ id }) => api().delete(`${v1}/files/${id}`))],
    releaseQuarantined: [
      'quarantine.released',
      given(aTrapped, (id) => api().post(`${v1}/spam/${id}/release`)),
    ],
    releaseManyQuarantined: [
      'quarantine.released',
      given(aTrapped, (id) => api().post(`${v1}/spam/release`, { ids: [id] })),
    ],
    deleteQuarantined: ['quarantine.deleted', given(aTrapped, (id) => api().delete(`${v1}/spam/${id}`))],
    deleteManyQuarantined: [
      'quarantine.deleted',
      given(aTrapped, (id) => api().post(`${v1}/spam/delete`, { ids: [id] })),
    ],
    emptyQuarantine: [
      'quarantine.deleted',
      async () => {
        await aTrapped();
        return () => api().post(`${v1}/spam/empty`, {});
      },
    ],
    retrySubmissionWebhooks: [
      'deliveries.retried',
      async () => {
        const id = await aSubmission();
        await expect
          .poll(async () => (await api().get(`${v1}/submissions/${id}/deliveries`)).body.data[0].state, {
            timeout: 30_000,
          })
          .toBe('delivered');
        return () => api().post(`${v1}/submissions/${id}/retry-webhook`);
      },
    ],
    retryDeliveries: [
      'deliveries.retried',
      async () => {
        const id = await aDelivery();
        await expect
          .poll(async () => (await api().get(`${v1}/deliveries/${id}`)).body.state, { timeout: 30_000 })
          .toBe('delivered');
        return () => api().post(`${v1}/deliveries/retry`, { ids: [id] });
      },
    ],
    replayDeliveries: [
      'replay.started',
      given(aForm, ({ formId }) => api().post(`${v1}/deliveries/replay`, { form_id: formId })),
    ],
    cancelReplay: [
      'replay.cancelled',
      async () => {
        const { formId, endpoint } = await aForm();
        await api().patch(`${v1}/forms/${formId}`, { webhook_url: null });
        for (let index = 0; index < 3; index += 1) await submit(endpoint, { index });
        const destination = await made(`/forms/${formId}/destinations`, {
          ...{ kind: 'webhook', config: { url: receiver().url } },
        });
        const id = await made(`/destinations/${destination}/backfill`, { per_minute: 1 });
        return () => api().post(`${v1}/deliveries/replays/${id}/cancel`);
      },
    ],
    liftSuppressedAddress: [
      'suppressed_address.deleted',
      given(aSuppressed, (id) => api().delete(`${v1}/suppressed-addresses/${id}`)),
    ],
  };
}

/** Operations that need a body or a method other than GET, but change nothing that is recorded. */
export const changesNothing: Readonly<Record<string, string>> = {
  switchAccount: 'needs a login with users in two accounts: test/http/session covers it',
  completeSetup:
    'only once in the life of an instance: test/http/dashboard covers it, below it is looked for',
  readAllSubmissions: 'what somebody has read is theirs alone',
  checkFormFields: 'shows ids and rules, no values',
  previewFormDestination: 'a view, see below',
  previewProjectDestination: 'a view, see below',
  previewMail: 'a view, see below',
  testDestination: 'sends a made-up submission',
  testFormWebhook: 'sends a made-up submission',
  testProjectWebhook: 'sends a made-up submission',
  testMail: 'sends a mail to the person who asks',
  findInvitation: 'shows the invitation to who has its link',
  requestPasswordReset: 'sends a mail to the person who asks',
  completePasswordReset: 'needs a mail: test/http/session/reset.test.ts',
  requestEmailChange: 'sends mails to the person who asks',
  confirmEmailChange: 'needs a mail: test/http/session/email-change.test.ts',
  showSecondFactor: 'ends a sign-in, which is recorded as any other',
  beginAuthenticator: 'counts once a code was shown',
  beginPasskey: 'gives a challenge',
  beginPasskeySignIn: 'gives a challenge',
  addPasskey: 'needs an authenticator: test/browser/dashboard/passkeys.test.ts',
  renamePasskey: 'needs a passkey: test/browser/dashboard/passkeys.test.ts',
  removePasskey: 'needs a passkey: test/browser/dashboard/passkeys.test.ts',
  signInWithPasskey: 'needs an authenticator: test/browser/dashboard/passkeys.test.ts',
  testIdentityProvider: 'reads the description of the provider',
  checkErasureReceipt: 'checks a signature',
};
