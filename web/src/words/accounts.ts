/** Switching accounts. */
export const switchAccount = 'Switch account';
export const notSwitched = 'You are still in this account';
