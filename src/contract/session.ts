import { type Static, Type } from 'typebox';
import { plan } from './account.js';
import { exactly, id, instant, listOf, named, shape } from './shapes.js';

// The formats count bytes; `maxLength` would count characters and give a second message for the same fault.
const password = Type.String({
  minLength: 1,
  format: 'password',
  description: 'At most 128 bytes of UTF-8.',
});
const newPassword = Type.String({
  format: 'new-password',
  description: '10 to 128 bytes of UTF-8.',
});
const email = Type.String({ maxLength: 254, format: 'email', description: 'Compared without case.' });

export const SessionFull = shape('SessionFull', {
  user: exactly({ id: id('The person who is signed in.'), email: Type.String() }),
  account: exactly({ id: id('The account.'), name: Type.String(), plan }),
});
export type SessionFull = Static<typeof SessionFull>;

export const SignIn = shape('SignIn', {
  email: Type.String({ minLength: 1, maxLength: 254, description: 'Compared without case.' }),
  password,
});
export type SignIn = Static<typeof SignIn>;

export const ChangePassword = shape('ChangePassword', {
  current_password: password,
  new_password: newPassword,
});
export type ChangePassword = Static<typeof ChangePassword>;

export const SetupState = shape('SetupState', {
  needed: Type.Boolean({
    description: 'Nobody can sign in yet; the link stands where the service was started.',
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
  created_at: instant('When they were added.'),
});
export type UserItem = Static<typeof UserItem>;
export const UserList = named('UserList', listOf(UserItem));
export type UserList = Static<typeof UserList>;

export const CreateUser = shape('CreateUser', { email, password: newPassword });
export type CreateUser = Static<typeof CreateUser>;
