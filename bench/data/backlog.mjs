/** Seeds pending deliveries through the store's own commit, while the server is stopped. */
import { newId } from '#inlet/kernel/ids.js';
import { laneOf, queues } from '#inlet/model/delivery.js';
import { builtInId } from '#inlet/model/destination.js';
import { openStore } from './seed.mjs';

const batchRows = 2_000;

/** Makes a webhook body of about 1 kB, most of it the form's fields. */
const fields = JSON.stringify({
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  message: 'I would like to know more about the analytical engine. '.repeat(11),
});

export const eventText = (submissionId, form) =>
  `{"event":"submission.created","timestamp":"2026-01-01T00:00:00.000Z","form":{"id":"${form.formId}",` +
  `"public_id":"${form.publicId}","slug":"contact","name":"Contact"},"submission":{"id":"${submissionId}",` +
  `"data":${fields},"files":[],"metadata":{"ip":"192.0.2.1","user_agent":"bench","submitted_from":""},` +
  '"created_at":"2026-01-01T00:00:00.000Z"}}';

/** `dueInMs` gives the delay of each row. Rows with earlier attempts go to the queue of later attempts. */
function entryOf({ form, url, attempt = 0, dueInMs = () => 0 }, row, now) {
  const id = newId(now);
  const place = { formId: form.formId, projectId: form.projectId };
  const metadata = { ip: '192.0.2.1', userAgent: 'bench', submittedFrom: '', controlFields: null };
  const destinationId = builtInId(form.formId, 'webhook');
  const delivery = {
    id: newId(now),
    submissionId: id,
    ...place,
    destinationId,
    kind: 'webhook',
    target: 'form',
    lane: laneOf(new URL(url).origin, destinationId),
    url,
    body: eventText(id, form),
    state: 'pending',
    attempt,
    extraAttempts: 0,
    resumeAt: null,
    trigger: 'auto',
    queue: attempt === 0 ? queues.first : queues.later,
    nextAttemptAt: now + dueInMs(row),
    heldUntil: null,
    isInFlight: false,
    createdAt: now,
  };
  return {
    submission: { id, ...place, data: fields, metadata, createdAt: now },
    files: [],
    deliveries: [delivery],
    skipped: [],
    fields: [],
    maxSubmissions: null,
    optIn: null,
    idempotency: null,
  };
}

/** Each entry of `wishes` has `form`, `url` and `count`, and optionally the other options of `entryOf`. */
export async function commitDeliveries(store, wishes) {
  for (const wish of wishes) {
    for (let first = 0; first < wish.count; first += batchRows) {
      const now = Date.now();
      const rows = Math.min(batchRows, wish.count - first);
      await store.commit(Array.from({ length: rows }, (_, i) => entryOf(wish, first + i, now)));
    }
  }
  // Done now: indexing is not measured here, but would run at the same time.
  while (await store.indexStep());
}

/** The server must not be running. */
export async function seedDeliveries(dataDir, wishes) {
  const { store } = await openStore(dataDir);
  try {
    await commitDeliveries(store, wishes);
  } finally {
    await store.close();
  }
}
