/** Explains Google's errors to the owner of a destination, with what they can do. */
import type { GoogleSheetsConfig } from '../../../contract/destination.js';
import { isRecord, parsedRecord } from '../../../kernel/service-account.js';
import type { OutboundResult } from '../../../ports/outbound.js';

const oneLine = (text: unknown): string =>
  typeof text === 'string' ? text.replace(/\s+/g, ' ').trim().slice(0, 300) : '';

const classOf = ({ status }: OutboundResult): string => `http_${Math.floor((status ?? 0) / 100)}xx`;

function wordsOf(
  { status, response }: OutboundResult,
  { spreadsheet_id: spreadsheetId, sheet }: GoogleSheetsConfig,
  clientEmail: string,
): string {
  const { error } = parsedRecord(response ?? '') ?? {};
  const message = oneLine(isRecord(error) ? error.message : null);
  if (status === 401) return 'Google did not accept the access token. The next attempt requests a new one';
  if (status === 403 && /has not been used|is disabled/i.test(message))
    return 'Enable the Google Sheets API for the project of the service account';
  if (status === 403 && /does not have permission/i.test(message))
    return `Share the spreadsheet with ${clientEmail} as an editor`;
  if (status === 404)
    return `There is no spreadsheet with the id ${spreadsheetId}. Check the id, and share the spreadsheet with ${clientEmail}`;
  if (status === 400 && /unable to parse range/i.test(message))
    return `There is no sheet called “${sheet}” in the spreadsheet`;
  if (status === 429) return 'Google limits how many rows can be added per minute';
  return message;
}

/** Returns null when there was no error response. */
export function explainRefusal(
  result: OutboundResult,
  config: GoogleSheetsConfig,
  clientEmail: string,
): string | null {
  const { status } = result;
  if (status === null || status < 400) return null;
  const words = wordsOf(result, config, clientEmail);
  return words === '' ? classOf(result) : `${classOf(result)}: ${words}`;
}

/** Explains a failed token request. Returns null when there was no response or only a redirect. */
export function explainTokenRefusal(result: OutboundResult): string | null {
  const { status, response } = result;
  if (status === null || (status >= 300 && status < 400)) return null;
  if (status < 300) return 'invalid_response: Google gave no access token';
  const { error, error_description: description } = parsedRecord(response ?? '') ?? {};
  if (error !== 'invalid_grant')
    return `${classOf(result)}: Google gave no access token. ${oneLine(description)}`.trim();
  return `${classOf(result)}: Google does not accept the key of the service account (${oneLine(description)}). Create a new key`;
}
