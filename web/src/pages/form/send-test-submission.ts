/** Posts to a form as a page would: without the session, so that all the form's rules apply. */
import { ApiError, refusalOf } from '../../api.js';
import { instancePath } from '../../page-facts.js';
import type { SubmissionAccepted } from '../../wire.js';
import * as words from '../../words/form.js';

/** Resolves to the id of the new submission. */
export async function sendTestSubmission(publicId: string): Promise<string> {
  let answer: Response;
  try {
    answer = await fetch(`${instancePath}/f/${publicId}`, {
      method: 'POST',
      credentials: 'omit',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({
        name: words.testName,
        email: 'ada@example.com',
        message: words.testMessage,
      }),
    });
  } catch {
    throw new ApiError(0, words.serverUnreachable);
  }
  if (!answer.ok) throw await refusalOf(answer);
  const accepted: SubmissionAccepted = await answer.json();
  return accepted.submission_id;
}
