/**
 * Deliveries of submissions in spam or trash wait, and keep their place: a paused row has the number of its queue plus 100, where
 * nobody looks for work, so that claiming is as it was.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../schema.js';

const offset = sql.raw('100');

/** Where a row of the queue is while it is paused. */
export const pausedQueue = (queue: number): number => queue + 100;

const isSetAside = sql<SqlBool>`EXISTS (SELECT 1 FROM submissions
  WHERE submissions.id = deliveries.submission_id AND submissions.folder IN ('spam', 'trash'))`;

/** Whether the submission of the delivery can be sent. */
export const isNotSetAside = sql<SqlBool>`NOT ${isSetAside}`;

/** Whether the row waits to be sent, and not for its submission. */
export const isNotPaused = sql<SqlBool>`deliveries.queue < ${offset}`;

/** What the queue of a row is, if it becomes `queue`: a row that was paused while it was being sent stays so. */
export const keptPaused = (queue: string): string => `${queue} + CASE WHEN queue >= 100 THEN 100 ELSE 0 END`;

/** Brings the waiting deliveries of these submissions in line with their folders. */
export async function pauseOrResume(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void> {
  const move = (to: RawBuilder<unknown>, which: RawBuilder<unknown>) =>
    sql`UPDATE deliveries SET queue = ${to}
      WHERE submission_id IN (${sql.join(submissionIds)}) AND state = 'pending' AND ${which}`.execute(db);
  await move(sql`queue + ${offset}`, sql`queue < ${offset} AND ${isSetAside}`);
  await move(sql`queue - ${offset}`, sql`queue >= ${offset} AND ${isNotSetAside}`);
}
