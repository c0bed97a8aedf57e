/** Users and passwords. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

// Add a person
export const emailMissing = 'Enter an e-mail address';
export const addPerson = 'Add person';
export const added = (email: string): string => `${email} can sign in now`;
export const emailDescription = 'What they sign in with. Nothing is sent to it.';
export const firstPassword = 'First password';
export const firstPasswordDescription =
  'At least 10 characters. Share it with them; they can change it on this page.';

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

// What a new password must be
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
export const pageDescription = 'Everyone here can see and change everything in this account.';
export const addedAt = 'Added';
export const you = 'You';
export const removeNamed = (email: string): string => `Remove ${email}`;
