/** States, in one word each. */

// Deliveries and submissions
export const delivered = 'Delivered';
export const failed = 'Failed';
export const quarantined = 'Quarantined';
export const suppressed = 'Suppressed';
export const waiting = 'Waiting';
export const paused = 'Paused';
export const pausedIn: Readonly<Record<'spam' | 'trash', string>> = {
  spam: 'Paused (in spam)',
  trash: 'Paused (in trash)',
};

// Forms and projects
export const archived = 'Archived';
export const live = 'Live';
export const sandbox = 'Sandbox';
export const switchedOff = 'Switched off';
