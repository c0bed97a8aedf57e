/** The names of pages and folders: in the sidebar, the bottom bar, on buttons and in the palette. */

// Pages
export const apiKeys = 'API keys';
export const auditLog = 'Audit log';
export const inbox = 'Inbox';
export const instance = 'Instance';
export const overview = 'Overview';
export const person = 'Find a person';
export const plan = 'Plan';
export const projects = 'Projects';
export const quarantine = 'Quarantine';
export const singleSignOn = 'Single sign-on';
export const suppressedAddresses = 'Suppressed addresses';
export const users = 'Users';
export const yourAccount = 'Your account';

// Folders of the inbox
export const all = 'Inbox and archive';
export const archive = 'Archive';
export const assignedToMe = 'Assigned to me';
export const spam = 'Spam';
export const starred = 'Starred';
export const trash = 'Trash';
