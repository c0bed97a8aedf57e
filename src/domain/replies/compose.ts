/**
 * The mail that replies to a visitor. Visitors choose the recipient and the values, so it must be useless for advertising:
 * values are short, plain text, and none of them becomes a link.
 */
import type { Autoresponder } from '../../contract/autoresponder.js';
import { escapeHtml } from '../../kernel/html.js';
import { cut, manyLines, oneLine } from '../../kernel/shown-text.js';
import type { Letter, MailBodies, MailFrame } from '../../model/letter.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import { type MailMessage, ordinaryMail } from '../../ports/mailer.js';
import type { FormAndProject } from '../../ports/store.js';
import { type Links, shareEvent } from '../planning/event.js';
import { parseText } from '../planning/template.js';
import { replyWords } from './words.js';

/** The layout of all mails. */
export interface MailLayout {
  readonly letter: (letter: Letter) => MailBodies;
  /** The body is HTML. */
  readonly html: (frame: MailFrame, body: string) => string;
}

export interface ReplyInput extends FormAndProject {
  readonly mailId: string;
  readonly recipient: string;
  readonly autoresponder: Autoresponder;
  readonly submission: SubmissionWithFiles;
}

const maxValueChars = 200;
const maxSubjectChars = 150;
const maxNameChars = 100;
const maxPreviewChars = 140;

export function composeReply(input: ReplyInput, layout: MailLayout, links: Links): MailMessage {
  const { mailId, recipient, autoresponder, submission } = input;
  const event = shareEvent({ ...input, files: submission.files }, 'submission.created', links);
  const rendered = (template: string, encode: (value: string) => string): string => {
    const parsed = parseText(template);
    return 'template' in parsed ? (event.for(parsed.template).renderText(encode) ?? '') : '';
  };
  const text = rendered(autoresponder.text, shownValue).trim();
  const frame = frameOf(input, text);
  const paragraphs = text.split(/\n{2,}/);
  const bodies = layout.letter({ ...frame, paragraphs, button: null });
  return {
    ...ordinaryMail,
    id: mailId,
    to: recipient,
    shownTo: [recipient],
    shownCc: [],
    replyTo: autoresponder.reply_to,
    fromName: autoresponder.from_name,
    autoSubmitted: 'auto-replied',
    subject: oneLine(rendered(autoresponder.subject, nameValue), maxSubjectChars),
    text: bodies.text,
    html:
      autoresponder.html === null
        ? bodies.html
        : layout.html(
            frame,
            rendered(autoresponder.html, (value) => escapeHtml(shownValue(value))),
          ),
  };
}

const nameValue = (value: string): string => oneLine(value, maxNameChars);
const shownValue = (value: string): string =>
  value.length <= maxValueChars ? manyLines(value) : `${manyLines(cut(value, maxValueChars))}…`;

function frameOf({ autoresponder, form, project }: ReplyInput, text: string): MailFrame {
  const { tag, footer } = replyWords[autoresponder.language];
  const name = oneLine(project.name, maxNameChars);
  const website = websiteOf(form.allowedOrigins) ?? websiteOf(project.allowedOrigins);
  return {
    language: tag,
    preview: oneLine(text, maxPreviewChars),
    overline: '',
    heading: name,
    lead: '',
    footer: footer(
      website === null || website === name ? name : `${name} (${website})`,
      oneLine(form.name, maxNameChars),
    ),
  };
}

/** Only an origin that the owner listed, never one from the visitor's browser: a host name can be an advertisement too. */
const websiteOf = (origins: readonly string[]): string | null =>
  origins.find((origin) => !origin.includes('*')) ?? null;
