/** A visitor's browser with an ALTCHA widget: fetches the challenge, solves it, and sends the solution as its token. */
import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { visit } from './visitor.js';

export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

export const decoded = (token: string) => JSON.parse(Buffer.from(token, 'base64').toString('utf8'));

/** Turns the JSON text of a challenge into the token of its solution. */
export async function solved(challengeText: string): Promise<string> {
  const challenge = JSON.parse(challengeText) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('The challenge was not solved in time');
  return encoded({ challenge, solution });
}

export async function solvedFor(endpoint: string, from?: string): Promise<string> {
  const answer = await visit(`${endpoint}/challenge`, {
    method: 'GET',
    ...(from === undefined ? {} : { from }),
  });
  if (answer.status !== 200) throw new Error(`challenge: ${answer.status} ${answer.text}`);
  return solved(answer.text);
}
