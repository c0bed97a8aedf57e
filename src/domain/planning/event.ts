/** A submission as its destinations see it. What only some of them need is computed on first use. */
import { isoTime } from '../../kernel/clock.js';
import { shownFile } from '../../model/file.js';
import type { Submission } from '../../model/submission.js';
import type { SubmissionEvent } from '../../ports/destination-kind.js';
import { type Filter, matches, newWork } from './filter.js';
import { newAllowance, renderDocument, renderText, type Template, type TemplateView } from './template.js';

export type EventSource = Pick<SubmissionEvent, 'form' | 'project' | 'submission' | 'files'>;

/** Links to a submission and its files, for people. */
export interface Links {
  submission(id: string): string;
  file(id: string): string;
}

/** Shared by all destinations of a submission. */
export interface SharedEvent {
  /** Whether the webhook's body passes the filter. All filters together have a limited amount of work. */
  passes(filter: Filter): boolean;
  for(template: Template | null): SubmissionEvent;
}

export function shareEvent(
  { form, project, submission, files }: EventSource,
  name: 'submission.created' | 'webhook.test',
  links: Links,
): SharedEvent {
  const source = { form, project, submission, files };
  const body = lazy(() => eventBody(name, source));
  const payload = lazy((): unknown => JSON.parse(body()));
  const fields = lazy(() => JSON.parse(submission.data) as Readonly<Record<string, unknown>>);
  const view = lazy(() => viewOf(source, fields(), links));
  const filterWork = newWork();
  const allowance = newAllowance();
  const made = new Map<string, string>();
  return {
    passes: (filter) => matches(filter, payload(), filterWork),
    for: (template) => ({
      form,
      project,
      submission,
      files,
      isTest: name === 'webhook.test',
      link: links.submission(submission.id),
      body,
      fields,
      fileLink: links.file,
      renderText: (encode) =>
        template && 'nodes' in template ? renderText(template, view(), encode, allowance).text : null,
      renderJson: () =>
        template && 'parts' in template ? renderDocument(template, view(), allowance).text : null,
      once(what, make) {
        if (template !== null) return make();
        const text = made.get(what) ?? make();
        made.set(what, text);
        return text;
      },
    }),
  };
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const viewOf = (
  { form, project, submission, files }: EventSource,
  fields: TemplateView['fields'],
  links: Links,
): TemplateView => ({
  form: shownForm(form),
  project: { id: project.id, slug: project.slug, name: project.name },
  submission: {
    id: submission.id,
    created_at: isoTime(submission.createdAt),
    url: links.submission(submission.id),
    files: files.map((file) => ({ ...shownFile(file), url: links.file(file.id) })),
    metadata: shownMetadata(submission.metadata),
  },
  fields,
});

const shownForm = ({ id, publicId, slug, name }: EventSource['form']) => ({
  id,
  public_id: publicId,
  slug,
  name,
});

const shownMetadata = (metadata: Submission['metadata']) => ({
  ip: metadata.ip,
  user_agent: metadata.userAgent,
  submitted_from: metadata.submittedFrom,
});

/**
 * The webhook's body. The data is inserted as text: parsing and serializing it again would reorder its keys and round
 * its numbers.
 */
function eventBody(name: string, { form, submission, files }: EventSource): string {
  const at = JSON.stringify(isoTime(submission.createdAt));
  return (
    `{"event":"${name}","timestamp":${at},"form":${JSON.stringify(shownForm(form))},` +
    `"submission":{"id":"${submission.id}","data":${submission.data},"files":${JSON.stringify(files.map(shownFile))},` +
    `"metadata":${JSON.stringify(shownMetadata(submission.metadata))},"created_at":${at}}}`
  );
}
