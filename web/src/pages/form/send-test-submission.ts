/** Posts to a form as a page would: without the session, so that every rule of the form holds for it too. */
import { ApiError, refusalOf } from '../../api.js';
import { instancePath } from '../../page-facts.js';
import type { SubmissionAccepted } from '../../wire.js';

/** Resolves with the id of the new submission. */
export async function sendTestSubmission(publicId: string): Promise<string> {
  let answer: Response;
  try {
    answer = await fetch(`${instancePath}/f/${publicId}`, {
      method: 'POST',
      credentials: 'omit',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        message: 'A first message, sent from the dashboard.',
      }),
    });
  } catch {
    throw new ApiError(0, 'The server cannot be reached. Check your connection and that Inlet is running.');
  }
  if (!answer.ok) throw await refusalOf(answer);
  const accepted: SubmissionAccepted = await answer.json();
  return accepted.submission_id;
}
