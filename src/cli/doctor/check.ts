/** One finding of the doctor: the state, and what to do about it. */

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  /** What to do; null when there is nothing to do. */
  readonly next: string | null;
}

export const ok = (name: string, message: string): Check => ({ name, state: 'ok', message, next: null });
/** It could not be checked; the message says why. */
export const skip = (name: string, message: string): Check => ({ name, state: 'skip', message, next: null });
export const warn = (name: string, message: string, next: string): Check => ({
  name,
  state: 'warn',
  message,
  next,
});
export const fail = (name: string, message: string, next: string): Check => ({
  name,
  state: 'fail',
  message,
  next,
});
