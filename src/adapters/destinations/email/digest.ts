/** The mail about all submissions of an hour, a day or a week: counts, the newest with their first fields, links. */
import { escapeHtml } from '../../../kernel/html.js';
import { membersOf } from '../../../kernel/json-outline.js';
import { humanCount, oneLine } from '../../../kernel/shown-text.js';
import { valueText } from '../../../kernel/value-text.js';
import { wallTime } from '../../../model/digest.js';
import { addressesIn } from '../../../model/email-settings.js';
import type { MailFrame } from '../../../model/letter.js';
import type { DigestContent, DigestedSubmission } from '../../../ports/digests.js';
import { type MailMessage, ordinaryMail } from '../../../ports/mailer.js';
import { type Composer, cancelled, type SubscriptionDeps, stoppedBy } from './composer.js';
import { fitting } from './fitting.js';
import {
  afterRowsHtml,
  buttonHtml,
  frameHtml,
  headingHtml,
  linkHtml,
  noteRowHtml,
  quiet,
  rowHtml,
  tableHtml,
  text13,
} from './html.js';
import { buttonText, frameText } from './text.js';

/** Which digest a mail is, by the body of its delivery; null: it is about one submission. */
export function digestIn(body: string): string | null {
  if (!body.startsWith('{"digest":')) return null;
  return (JSON.parse(body) as { readonly digest: string }).digest;
}

export interface DigestDeps extends SubscriptionDeps {
  /** What a digest is about, with so many of the newest; null when all of it is deleted. */
  readonly content: (id: string, most: number) => Promise<DigestContent | null>;
  readonly links: DigestLinks;
}

export const createDigests =
  ({ content: load, links, suppression, unsubscribeUrl }: DigestDeps): Composer =>
  async ({ id: mailId, url: recipient, body }, { id: destinationId, config, formId, projectId }) => {
    if (!addressesIn(config).includes(recipient)) return cancelled('the address was removed');
    const content = await load(digestIn(body) ?? '', maxDigestRows);
    if (!content) return cancelled('the submissions were deleted');
    const subscription = { accountId: content.accountId, destinationId, address: recipient };
    const stopped = await suppression(subscription);
    if (stopped) return stoppedBy(stopped);
    const timeZone = config.digest?.time_zone ?? 'UTC';
    const mail = composeDigest({
      ...{ mailId, recipient, content, formId, projectId, timeZone, links },
      unsubscribeUrl: unsubscribeUrl(subscription),
    });
    return { mail: { ...mail, shownTo: config.to, shownCc: config.cc }, formId: content.forms[0].id };
  };

export const maxDigestRows = 50;
const maxForms = 20;
const maxFields = 3;
const maxNameChars = 100;
const maxValueChars = 120;
/** In UTF-8, of the table. Gmail shows 102 kB of HTML. */
const maxBytes = { html: 80_000, text: 36_000 };

export interface DigestMailInput {
  readonly mailId: string;
  readonly recipient: string;
  readonly content: DigestContent;
  /** null: it is the project's. */
  readonly formId: string | null;
  readonly projectId: string;
  readonly timeZone: string;
  readonly links: DigestLinks;
  readonly unsubscribeUrl: string;
}

export interface DigestLinks {
  submission(id: string): string;
  form(id: string): string;
  project(id: string): string;
}

interface Row {
  readonly title: string;
  readonly link: string;
  readonly fields: readonly string[];
  readonly about: string;
}

export function composeDigest(input: DigestMailInput): MailMessage {
  const { content, recipient, links } = input;
  const total = content.forms.reduce((sum, { count }) => sum + count, 0);
  const what = total === 1 ? '1 new submission' : `${humanCount(total)} new submissions`;
  const [onlyForm, ...others] = content.forms;
  const heading = oneLine(input.formId === null ? content.projectName : (onlyForm?.name ?? ''), maxNameChars);
  const table = fitting(
    content.newest.map((submission) => [() => rowOf(submission, input, others.length > 0)]),
    { html: htmlRow, text: textRow },
    maxBytes,
  );
  const leftOut = total - table.html.length;
  const more =
    leftOut > 0 ? `${humanCount(leftOut)} more ${leftOut === 1 ? 'is' : 'are'} not shown here.` : '';
  const button = {
    label: 'Open all submissions',
    link: input.formId === null ? links.project(input.projectId) : links.form(input.formId),
  };
  const frame: MailFrame = {
    language: 'en',
    preview: content.forms
      .map(({ name, count }) => `${oneLine(name, 40)}: ${count}`)
      .join(', ')
      .slice(0, 140),
    overline: input.formId === null ? '' : oneLine(content.projectName, maxNameChars),
    heading,
    lead: `${what}, ${periodOf(content, input.timeZone)}`,
    footer: [
      'Visitors of your website wrote what is shown above. Open links only if you expect them.',
      `You get this mail because ${oneLine(recipient, 254)} gets a digest of new submissions.`,
    ],
  };
  const counts = others.length === 0 ? [] : countsOf(content);
  return {
    ...ordinaryMail,
    id: input.mailId,
    unsubscribeUrl: input.unsubscribeUrl,
    to: recipient,
    shownTo: [recipient],
    shownCc: [],
    replyTo: null,
    subject: oneLine(`${what}: ${heading}`, 150),
    html: frameHtml(
      frame,
      countsHtml(counts, links) +
        tableHtml(table.html.join('') + (more === '' ? '' : noteRowHtml(more))) +
        afterRowsHtml(buttonHtml(button)) +
        `<div style="margin:16px 0 0">${linkHtml(input.unsubscribeUrl, 'Unsubscribe')}</div>\n`,
    ),
    text: frameText(frame, [
      counts.map(({ text }) => `${text}\n`).join(''),
      table.text.join('\n'),
      more === '' ? '' : `${more}\n`,
      buttonText(button),
      buttonText({ label: 'Unsubscribe', link: input.unsubscribeUrl }),
    ]),
  };
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** 18 Nov 2026, 07:55 */
function timeIn(timeZone: string, at: number): string {
  const wall = new Date(wallTime(timeZone, at));
  return (
    `${wall.getUTCDate()} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}, ` +
    wall.toISOString().slice(11, 16)
  );
}

function periodOf({ firstAt, lastAt }: DigestContent, timeZone: string): string {
  const [first, last] = [timeIn(timeZone, firstAt), timeIn(timeZone, lastAt)];
  return `${first === last ? first : `${first} to ${last}`} (${timeZone})`;
}

interface Counted {
  /** null: of all others. */
  readonly formId: string | null;
  readonly name: string;
  readonly text: string;
}

function countsOf({ forms }: DigestContent): readonly Counted[] {
  const shown = forms.slice(0, maxForms).map(({ id, name, count }): Counted => {
    const label = oneLine(name, maxNameChars);
    return { formId: id, name: label, text: `${label}: ${humanCount(count)}` };
  });
  const others = forms.length - shown.length;
  return others === 0
    ? shown
    : [...shown, { formId: null, name: '', text: `${humanCount(others)} more forms` }];
}

const countsHtml = (counts: readonly Counted[], links: DigestLinks): string =>
  counts.length === 0
    ? ''
    : tableHtml(
        counts
          .map(({ formId, name, text }) =>
            formId === null
              ? noteRowHtml(text)
              : rowHtml(`${linkHtml(links.form(formId), name)}${escapeHtml(text.slice(name.length))}`),
          )
          .join(''),
      ) + headingHtml('Newest submissions');

function rowOf(
  submission: DigestedSubmission,
  { links, timeZone }: DigestMailInput,
  namesForm: boolean,
): Row {
  const members = submission.data === null ? [] : [...membersOf(submission.data)].slice(0, maxFields);
  const shown = members.map(({ name, value }) => ({
    name: oneLine(name, maxNameChars),
    value: oneLine(valueText(value, maxValueChars).text, maxValueChars),
  }));
  const [first, ...rest] = shown.filter(({ value }) => value !== '');
  const time = timeIn(timeZone, submission.createdAt);
  return {
    title: first?.value ?? 'Submission',
    link: links.submission(submission.id),
    fields: rest.map(({ name, value }) => `${name}: ${value}`),
    about: namesForm ? `${oneLine(submission.formName, maxNameChars)}, ${time}` : time,
  };
}

const htmlRow = ({ title, link, fields, about }: Row): string =>
  rowHtml(
    `<div dir="auto" style="font-weight:600;text-align:start">${linkHtml(link, title)}</div>` +
      fields.map((text) => `<div dir="auto" style="text-align:start">${escapeHtml(text)}</div>`).join('') +
      `<div dir="auto" style="${text13};text-align:start;${quiet}">${escapeHtml(about)}</div>`,
  );

const textRow = ({ title, link, fields, about }: Row): string =>
  `- ${title}\n${fields.map((text) => `  ${text}\n`).join('')}  ${about}\n  ${link}\n`;
