import { type Static, Type } from 'typebox';
import { plan } from './account.js';
import { exactly, id, instant, listOf, named, nullableText, shape } from './shapes.js';

// The formats count bytes. `maxLength` would count characters and report the same error twice.
export const password = Type.String({
  minLength: 1,
  format: 'password',
  description: 'At most 128 bytes of UTF-8.',
});
export const newPassword = Type.String({
  format: 'new-password',
  description: '10 to 128 bytes of UTF-8.',
});
export const email = Type.String({ maxLength: 254, format: 'email', description: 'Compared without case.' });

const nullableRole = Type.Unsafe<'viewer' | 'editor' | 'owner' | null>({
  type: ['string', 'null'],
  enum: ['viewer', 'editor', 'owner', null],
  description: 'In the whole account; null: only in `projects`.',
});
/** An id in a request. */
const namedId = (description: string) => Type.String({ format: 'uuid', maxLength: 36, description });
const ProjectRole = shape('ProjectRole', {
  project_id: namedId('The project.'),
  role: Type.Unsafe<'viewer' | 'editor'>({ type: 'string', enum: ['viewer', 'editor'] }),
});
const projects = Type.Array(ProjectRole, {
  maxItems: 100,
  description: 'Roles in single projects; empty for a role in the whole account.',
});

export const SessionFull = shape('SessionFull', {
  user: exactly({
    id: id('The person who is signed in.'),
    email: Type.String(),
    role: nullableRole,
    projects,
  }),
  account: exactly({ id: id('The account.'), name: Type.String(), plan }),
  accounts: Type.Array(exactly({ id: id('The account.'), name: Type.String() }), {
    description: 'All accounts of this person, the current one too.',
  }),
  needs_second_factor: Type.Boolean({
    description:
      'The account requires two factors, and the login has only a password: until it has another, nothing of the account can be read or changed.',
  }),
  sign_out_url: nullableText({
    description:
      'Of a session by an identity provider: open it in the browser after signing out, to sign out there too. null: no provider.',
  }),
});
export type SessionFull = Static<typeof SessionFull>;

/**
 * A correct password is not always enough. A login with a second factor gets 401 with the code `second_factor_required` and no
 * cookie, so that a client that does not know the code treats it as "not signed in". The body also has:
 *
 * - `pending_token`: valid for 5 minutes; takes the place of the password in POST /session/second-factor.
 * - `factors`: the available factors, of `totp`, `passkey` (POST /session/passkey) and `recovery_code`.
 * - `expires_in`: seconds.
 */
export const SignIn = shape('SignIn', {
  email: Type.String({ minLength: 1, maxLength: 254, description: 'Compared without case.' }),
  password,
});
export type SignIn = Static<typeof SignIn>;

export const SwitchAccount = shape('SwitchAccount', {
  account_id: namedId('One of `accounts` of the session.'),
});
export type SwitchAccount = Static<typeof SwitchAccount>;

export const ChangePassword = shape('ChangePassword', {
  current_password: password,
  new_password: newPassword,
});
export type ChangePassword = Static<typeof ChangePassword>;

export const SetupState = shape('SetupState', {
  needed: Type.Boolean({
    description: 'No user exists yet. The setup link is in the output of the service.',
  }),
  sends_mail: Type.Boolean({
    description: 'A mail server is set: a new password can be requested by mail.',
  }),
});
export type SetupState = Static<typeof SetupState>;

export const CompleteSetup = shape('CompleteSetup', {
  token: Type.String({ minLength: 1, maxLength: 200, description: 'From the set-up link.' }),
  email,
  password: newPassword,
});
export type CompleteSetup = Static<typeof CompleteSetup>;

export const UserItem = shape('UserItem', {
  id: id('The user.'),
  email: Type.String(),
  role: nullableRole,
  projects,
  created_at: instant('When they were added.'),
});
export type UserItem = Static<typeof UserItem>;
export const UserList = named('UserList', listOf(UserItem));
export type UserList = Static<typeof UserList>;

const access = {
  role: Type.Optional(nullableRole),
  projects: Type.Optional(projects),
};
export const CreateUser = shape('CreateUser', { email, password: newPassword, ...access });
export type CreateUser = Static<typeof CreateUser>;

export const ChangeUser = shape('ChangeUser', access);
export type ChangeUser = Static<typeof ChangeUser>;
