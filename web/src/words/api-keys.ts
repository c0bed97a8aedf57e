/** API keys. */

// The list of keys
export const accessFull = 'Full';
export const accessReadOnly = 'Read only';
export const revoke = 'Revoke';
export const revokeNamed = (apiKey: string): string => `Revoke ${apiKey}`;
export const createApiKey = 'Create API key';
export const revokeApiKey = 'Revoke API key';
export const revokeWarning = 'Programs that use it are rejected at once. This cannot be undone.';
export const revoked = 'The key was revoked';
export const notRevoked = 'The key was not revoked';
export const apiKeys = 'API keys';
export const pageDescription =
  'For programs that read submissions or change forms. A website that posts to a form needs none.';
export const noneYetHint = 'Create one per app, so you can revoke each individually.';
export const noneYet = 'No API keys';
export const access = 'Access';
export const lastUsed = 'Last used';
export const neverUsed = 'never';
export const created = 'Created';
export const expires = 'Expires';
export const neverExpires = 'never';

// Create a key
export const nameMissing = 'Give it a name';
export const newKey = 'Your new API key';
export const copyNowReason =
  'Inlet stores only its hash. Anyone who has the key can use it until you revoke it.';
export const copyNow = 'Copy it now: it is not shown again';
export const apiKey = 'API key';
export const done = 'Done';
export const nameDescription = 'What uses it, so that you know later which one to revoke.';
export const nameExample = 'Website deployment';
/** In days. */
export const expiryChoices = [
  ['', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;
export const accessFullDescription = 'Read, change and delete.';
export const accessReadOnlyDescription = 'Lists, submissions and files; nothing changes.';
export const projectsDescription =
  'Limits the key to these projects. It cannot change users, keys or labels then.';
export const allProjects = 'The whole account';
