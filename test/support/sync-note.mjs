/** Where the hook writes: one JSON line for each event, from all threads. */
import { appendFileSync } from 'node:fs';

/** One clock for all threads, in milliseconds with their fraction. */
export const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/** Called when the event has ended, or is about to begin when it cannot be waited for. */
export const note = (event) =>
  appendFileSync(process.env.SYNC_TRACE_FILE, `${JSON.stringify({ text: '', ...event, end: now() })}\n`);
