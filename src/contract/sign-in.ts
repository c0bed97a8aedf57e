/** Signing in other than by password: invitations, mailed links, the list of sessions, second factors. */
import { type Static, Type } from 'typebox';
import { email, newPassword, password } from './session.js';
import { id, instant, listOf, name, named, nullableInstant, shape } from './shapes.js';

const token = Type.String({ minLength: 1, maxLength: 200, description: 'From the link.' });
const role = Type.Unsafe<'owner' | 'editor' | 'viewer'>({
  type: 'string',
  enum: ['owner', 'editor', 'viewer'],
});

export const InvitationItem = shape('InvitationItem', {
  id: id('The invitation.'),
  email: Type.String(),
  role,
  created_at: instant('When it was sent.'),
  expires_at: instant('When its link stops working.'),
});
export type InvitationItem = Static<typeof InvitationItem>;
export const InvitationList = named('InvitationList', listOf(InvitationItem));
export type InvitationList = Static<typeof InvitationList>;

export const CreateInvitation = shape('CreateInvitation', { email, role });
export type CreateInvitation = Static<typeof CreateInvitation>;

export const InvitationCreated = shape('InvitationCreated', {
  ...InvitationItem.properties,
  accept_url: Type.String({ description: 'Shown once. Anyone who has it can accept.' }),
  mailed: Type.Boolean({ description: 'False: no mail was sent; pass the link on yourself.' }),
});
export type InvitationCreated = Static<typeof InvitationCreated>;

export const LinkToken = shape('LinkToken', { token });
export type LinkToken = Static<typeof LinkToken>;

export const InvitationFound = shape('InvitationFound', {
  account_name: Type.String(),
  email: Type.String(),
  role,
});
export type InvitationFound = Static<typeof InvitationFound>;

export const AcceptInvitation = shape('AcceptInvitation', {
  token,
  password: Type.Optional(newPassword),
});
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export const RequestReset = shape('RequestReset', { email });
export type RequestReset = Static<typeof RequestReset>;

export const CompleteReset = shape('CompleteReset', { token, password: newPassword });
export type CompleteReset = Static<typeof CompleteReset>;

export const LoginEmail = shape('LoginEmail', {
  email: Type.String({ description: 'The address to sign in with from now on.' }),
});
export type LoginEmail = Static<typeof LoginEmail>;

export const ChangeEmail = shape('ChangeEmail', { email, current_password: password });
export type ChangeEmail = Static<typeof ChangeEmail>;

export const SessionItem = shape('SessionItem', {
  id: Type.String({ description: 'Only to end it with.' }),
  created_at: instant('When the user signed in.'),
  last_seen_at: instant('When it was last used, to the minute.'),
  address: Type.String({ description: 'Where the user signed in from; empty: not known.' }),
  user_agent: Type.String({ description: 'The browser that signed in; empty: not known.' }),
  current: Type.Boolean({ description: 'The session of this request.' }),
});
export type SessionItem = Static<typeof SessionItem>;
export const SessionList = named('SessionList', listOf(SessionItem));
export type SessionList = Static<typeof SessionList>;

export const PasskeyItem = shape('PasskeyItem', {
  id: Type.String({ description: 'As the device names it.' }),
  name: Type.String(),
  created_at: instant('When it was added.'),
  last_used_at: nullableInstant('When it last signed in; null: never.'),
});
export type PasskeyItem = Static<typeof PasskeyItem>;

export const FactorState = shape('FactorState', {
  passkeys: Type.Array(PasskeyItem),
  totp: Type.Boolean({ description: 'An authenticator app is set up.' }),
  recovery_codes_left: Type.Integer(),
});
export type FactorState = Static<typeof FactorState>;

export const CurrentPassword = shape('CurrentPassword', { current_password: password });
export type CurrentPassword = Static<typeof CurrentPassword>;

export const AuthenticatorSecret = shape('AuthenticatorSecret', {
  secret: Type.String({ description: 'Base32, to be typed into an authenticator app.' }),
  uri: Type.String({ description: 'The same as a QR code holds it.' }),
});
export type AuthenticatorSecret = Static<typeof AuthenticatorSecret>;

const code = Type.String({
  maxLength: 6,
  pattern: '^[0-9]{6}$',
  examples: ['123456'],
  description: 'Six digits from the app.',
});

export const AuthenticatorCode = shape('AuthenticatorCode', { code });
export type AuthenticatorCode = Static<typeof AuthenticatorCode>;

export const RecoveryCodes = shape('RecoveryCodes', {
  recovery_codes: Type.Array(Type.String(), { description: 'Shown once. Each works once.' }),
});
export type RecoveryCodes = Static<typeof RecoveryCodes>;

export const ShowFactor = shape('ShowFactor', {
  pending_token: Type.String({
    minLength: 1,
    maxLength: 600,
    description: 'From the response to POST /session.',
  }),
  code: Type.Optional(code),
  recovery_code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'In place of `code`.' }),
  ),
});
export type ShowFactor = Static<typeof ShowFactor>;

const part = (maxLength: number) => Type.String({ minLength: 1, maxLength, description: 'Base64url.' });
const credential = {
  token: Type.String({ minLength: 1, maxLength: 600, description: 'Of the challenge.' }),
  id: part(1400),
  client_data: part(2000),
};

export const PasskeyChallenge = shape('PasskeyChallenge', {
  token: Type.String({ description: 'Comes back with the response to the challenge, within 5 minutes.' }),
  challenge: Type.String(),
  rp_id: Type.String({ description: 'The domain that the passkeys belong to.' }),
  credentials: Type.Array(Type.String(), { description: 'Ids of the passkeys that exist already.' }),
});
export type PasskeyChallenge = Static<typeof PasskeyChallenge>;

export const AddPasskey = shape('AddPasskey', { ...credential, name, attestation: part(12_000) });
export type AddPasskey = Static<typeof AddPasskey>;

export const RenamePasskey = shape('RenamePasskey', { name });
export type RenamePasskey = Static<typeof RenamePasskey>;

export const UsePasskey = shape('UsePasskey', {
  ...credential,
  authenticator_data: part(2000),
  signature: part(1000),
  pending_token: Type.Optional(ShowFactor.properties.pending_token),
});
export type UsePasskey = Static<typeof UsePasskey>;
