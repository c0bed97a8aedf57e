/** The mail about all submissions of an hour, a day or a week: counts, the newest with their first fields, and links. */
import type { EmailConfig } from '../../../contract/destination.js';
import { escapeHtml } from '../../../kernel/html.js';
import { membersOf } from '../../../kernel/json-outline.js';
import { type Language, languageTags } from '../../../kernel/language.js';
import { isolated, oneLine } from '../../../kernel/shown-text.js';
import { valueText } from '../../../kernel/value-text.js';
import { addressesIn, emailSettings } from '../../../model/email-settings.js';
import { shownFieldName } from '../../../model/field-labels.js';
import type { MailFrame } from '../../../model/letter.js';
import type { DigestContent, DigestedSubmission } from '../../../ports/digests.js';
import { type MailMessage, ordinaryMail } from '../../../ports/mailer.js';
import { type Composer, cancelled, type SubscriptionDeps, stoppedBy } from './composer.js';
import { digestWords, timeIn } from './digest-words.js';
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
  unsubscribeHtml,
} from './html.js';
import { buttonText, frameText } from './text.js';
import { writtenCount } from './words.js';

/** Returns the id of the digest that a delivery's body names, or null when the mail is about one submission. */
export function digestIn(body: string): string | null {
  if (!body.startsWith('{"digest":')) return null;
  return (JSON.parse(body) as { readonly digest: string }).digest;
}

export interface DigestDeps extends SubscriptionDeps {
  /** Loads a digest with up to `most` of the newest submissions. Resolves with null when all of them were deleted. */
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
    const mail = composeDigest({
      ...{ mailId, recipient, content, config, formId, projectId, links },
      unsubscribeUrl: unsubscribeUrl(subscription),
    });
    return { mail, formId: content.forms[0].id };
  };

export const maxDigestRows = 50;
const maxForms = 20;
const maxFields = 3;
const maxNameChars = 100;
const maxValueChars = 120;
/** UTF-8 bytes of the table. Gmail clips HTML at 102 kB. */
const maxBytes = { html: 80_000, text: 36_000 };

export interface DigestMailInput {
  readonly mailId: string;
  readonly recipient: string;
  readonly content: DigestContent;
  /** Null for the digest of a project. */
  readonly formId: string | null;
  readonly projectId: string;
  readonly config: EmailConfig;
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
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly about: string;
}

interface Locale {
  readonly language: Language;
  readonly timeZone: string;
}

export function composeDigest(input: DigestMailInput): MailMessage {
  const { content, recipient, links, config } = input;
  const { language, digest, from_name: fromName } = emailSettings(config);
  const locale = { language, timeZone: digest?.time_zone ?? 'UTC' };
  const words = digestWords[language];
  const total = content.forms.reduce((sum, { count }) => sum + count, 0);
  const what = words.newSubmissions(total, writtenCount(language, total));
  const [onlyForm, ...others] = content.forms;
  const heading = oneLine(input.formId === null ? content.projectName : (onlyForm?.name ?? ''), maxNameChars);
  const table = fitting(
    content.newest.map((submission) => [() => rowOf(submission, links, locale, others.length > 0)]),
    { html: htmlRow, text: textRow },
    maxBytes,
  );
  const leftOut = total - table.html.length;
  const more = leftOut > 0 ? words.more(leftOut, writtenCount(language, leftOut)) : '';
  const button = {
    label: words.openAll,
    link: input.formId === null ? links.project(input.projectId) : links.form(input.formId),
  };
  const frame: MailFrame = {
    language: languageTags[language],
    preview: content.forms
      .map(({ name, count }) => `${oneLine(name, 40)}: ${count}`)
      .join(', ')
      .slice(0, 140),
    overline: input.formId === null ? '' : oneLine(content.projectName, maxNameChars),
    heading,
    lead: `${what}, ${periodOf(content, locale)}`,
    footer: [words.care, words.why(oneLine(recipient, 254))],
  };
  const counts = others.length === 0 ? [] : countsOf(content, language);
  return {
    ...ordinaryMail,
    id: input.mailId,
    unsubscribeUrl: input.unsubscribeUrl,
    to: recipient,
    shownTo: config.to,
    shownCc: config.cc,
    replyTo: null,
    fromName,
    subject: oneLine(`${what}: ${heading}`, 150),
    html: frameHtml(
      frame,
      countsHtml(counts, links, words.newest) +
        tableHtml(table.html.join('') + (more === '' ? '' : noteRowHtml(more))) +
        afterRowsHtml(buttonHtml(button)) +
        unsubscribeHtml(input.unsubscribeUrl, words.unsubscribe),
    ),
    text: frameText(frame, [
      counts.map(({ text }) => `${text}\n`).join(''),
      table.text.join('\n'),
      more === '' ? '' : `${more}\n`,
      buttonText(button),
      buttonText({ label: words.unsubscribe, link: input.unsubscribeUrl }),
    ]),
  };
}

function periodOf({ firstAt, lastAt }: DigestContent, { language, timeZone }: Locale): string {
  const first = timeIn(language, timeZone, firstAt);
  const last = timeIn(language, timeZone, lastAt);
  return `${first === last ? first : digestWords[language].period(first, last)} (${timeZone})`;
}

interface Counted {
  /** Null for the line that counts the other forms. */
  readonly formId: string | null;
  readonly name: string;
  readonly text: string;
}

function countsOf({ forms }: DigestContent, language: Language): readonly Counted[] {
  const shown = forms.slice(0, maxForms).map(({ id, name, count }): Counted => {
    const label = oneLine(name, maxNameChars);
    return { formId: id, name: label, text: `${label}: ${writtenCount(language, count)}` };
  });
  const others = forms.length - shown.length;
  return others === 0
    ? shown
    : [
        ...shown,
        { formId: null, name: '', text: digestWords[language].moreForms(writtenCount(language, others)) },
      ];
}

const countsHtml = (counts: readonly Counted[], links: DigestLinks, newest: string): string =>
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
      ) + headingHtml(newest);

function rowOf(
  submission: DigestedSubmission,
  links: DigestLinks,
  { language, timeZone }: Locale,
  namesForm: boolean,
): Row {
  const members = submission.data === null ? [] : [...membersOf(submission.data)].slice(0, maxFields);
  const shown = members.map(({ name, value }) => ({
    name: shownFieldName(submission.labels, name, maxNameChars),
    value: oneLine(valueText(value, maxValueChars).text, maxValueChars),
  }));
  const [first, ...rest] = shown.filter(({ value }) => value !== '');
  const time = timeIn(language, timeZone, submission.createdAt);
  return {
    title: first?.value ?? digestWords[language].submission,
    link: links.submission(submission.id),
    fields: rest,
    about: namesForm ? `${isolated(oneLine(submission.formName, maxNameChars))}, ${time}` : time,
  };
}

const htmlRow = ({ title, link, fields, about }: Row): string =>
  rowHtml(
    // Keeps the title on the same side as its fields, whichever direction its script runs.
    `<div style="font-weight:600"><bdi>${linkHtml(link, title)}</bdi></div>` +
      fields
        .map(
          // An English name and an Arabic value each need their own direction. Otherwise the final full stop is misplaced.
          ({ name, value }) =>
            `<div dir="auto" style="text-align:start"><span style="${quiet}">${escapeHtml(name)}:</span> <bdi>${escapeHtml(value)}</bdi></div>`,
        )
        .join('') +
      `<div dir="auto" style="${text13};text-align:start;${quiet}">${escapeHtml(about)}</div>`,
  );

const textRow = ({ title, link, fields, about }: Row): string =>
  `- ${title}\n${fields.map(({ name, value }) => `  ${name}: ${value}\n`).join('')}  ${about}\n  ${link}\n`;
