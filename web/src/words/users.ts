/** Users and passwords. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

// Add a user
export const emailMissing = 'Enter an e-mail address';
export const addPerson = 'Add person';
export const added = (email: string): string => `${email} can sign in now`;
export const emailDescription = 'What they sign in with. Nothing is sent to it.';
export const firstPassword = 'First password';
export const firstPasswordDescription =
  'At least 10 characters. Share it with them; they can change it in “Your account”.';

// Change your password
export const currentPasswordMissing = 'Enter the password you have now';
export const yourPassword = 'Your password';
export const changePasswordDescription =
  'After a change you stay signed in here and are signed out everywhere else.';
export const passwordChanged = 'Your password was changed';
export const currentPassword = 'Current password';
export const newPassword = 'New password';
export const newPasswordDescription = 'At least 10 characters.';
export const changePassword = 'Change password';

// Password rule
export const atLeast = (min: number): string => `At least ${min} characters`;
export const atMost = (max: number): string => `At most ${max} characters`;

// The list of users
export const removePerson = 'Remove person';
export const removeWarning = (email: ReactNode): ReactNode =>
  sentence`${email} is signed out at once and cannot sign in again. What they created stays.`;
export const remove = 'Remove';
export const removed = (email: string): string => `${email} was removed`;
export const notRemoved = 'The person was not removed';
export const users = 'Users';
export const pageDescription = 'People who can sign in to this account, and what each of them can do.';
export const addedAt = 'Added';
export const you = 'You';
export const removeNamed = (email: string): string => `Remove ${email}`;

// Roles
export const role = 'Role';
export const roleNames = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' } as const;
/** One line per role. */
export const roleChoices = [
  ['owner', roleNames.owner, 'Everything, including users and API keys.'],
  ['editor', roleNames.editor, 'Projects, forms and submissions; no users or API keys.'],
  ['viewer', roleNames.viewer, 'Sees projects, forms and submissions, but no secrets; changes nothing.'],
] as const;
export const onlySomeProjects = 'Only some projects';
export const onlySomeProjectsDescription = 'A role in each project you choose. The others stay hidden.';
export const projectRoleChoices = [
  ['', 'No access'],
  ['editor', roleNames.editor],
  ['viewer', roleNames.viewer],
] as const;
export const chooseAProject = 'Choose a role in at least one project.';
export const roleIn = (project: string, name: keyof typeof roleNames): string =>
  `${roleNames[name]} of ${project}`;
export const changeRole = 'Change role';
export const changeRoleNamed = (email: string): string => `Change role of ${email}`;
export const roleOf = (email: string): string => `Role of ${email}`;
export const roleChanged = (email: string): string => `The role of ${email} was changed`;
export const saveRole = 'Save role';

// Two factors
export const twoFactors = 'Two-factor sign-in';
export const requireTwoFactors = 'Require two factors';
export const requireTwoFactorsDescription =
  'Users who sign in with a password need an authenticator app or a passkey too. Until they have one, they can only set one up. Users of single sign-on are not affected.';
export const twoFactorsRequired = 'Two factors are required now';
export const twoFactorsNotRequired = 'Two factors are no longer required';
export const twoFactorsUnchanged = 'The setting was not changed';

// Account
export const account = 'Account';
export const accountNameDescription = 'Shown at the top of every page and in invitations.';
export const accountRenamed = 'The account was renamed';

// Invitations
export const invite = 'Invite';
export const invitePerson = 'Invite somebody';
export const inviteHint = 'They get a link, choose their own password and can sign in.';
export const invited = 'Invitation created';
export const done = 'Done';
export const invitationMailed = (email: ReactNode): ReactNode =>
  sentence`A mail with the link is on its way to ${email}. You can also share the link yourself. It is shown only now.`;
export const invitationNotMailed = (email: ReactNode): ReactNode =>
  sentence`No mail was sent. Share this link with ${email}. It is shown only now.`;
export const invitationLink = 'Invitation link';
export const invitationSafety = 'The link works once, within 7 days. Anyone who has it can accept.';
export const openInvitations = 'Open invitations';
export const expires = 'Expires';
export const revoke = 'Revoke';
export const revokeNamed = (email: string): string => `Revoke the invitation to ${email}`;
export const revoked = 'The invitation was revoked';
export const notRevoked = 'The invitation was not revoked';
