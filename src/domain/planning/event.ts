/** A submission as its destinations see it. What only some of them need is made when the first one asks. */
import { isoTime } from '../../kernel/clock.js';
import type { StoredFile } from '../../model/file.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import type { Submission } from '../../model/submission.js';
import type { SubmissionEvent } from '../../ports/destination-kind.js';
import { newWork } from './filter.js';
import {
  type DocumentTemplate,
  newAllowance,
  renderDocument,
  renderText,
  type TemplateView,
  type TextTemplate,
} from './template.js';

export interface EventSource {
  readonly form: Pick<Form, 'id' | 'publicId' | 'slug' | 'name'>;
  readonly project: Pick<Project, 'id' | 'slug' | 'name'>;
  readonly submission: Submission;
  readonly files: readonly StoredFile[];
}

/** Where people find a submission and its files. */
export interface Links {
  submission(id: string): string;
  file(id: string): string;
}

export type EventName = 'submission.created' | 'webhook.test';

/** One for all destinations of a submission. */
export class SharedEvent {
  #body: string | null = null;
  #payload: unknown;
  #fields: Readonly<Record<string, unknown>> | null = null;
  #view: TemplateView | null = null;
  /** All filters together may cost so much. */
  readonly filterWork = newWork();
  /** And all templates so much. */
  readonly allowance = newAllowance();
  /** What destinations without a template share. */
  readonly made = new Map<string, string>();

  constructor(
    readonly source: EventSource,
    readonly name: EventName,
    readonly links: Links,
  ) {}

  get body(): string {
    this.#body ??= eventBody(this.name, this.source);
    return this.#body;
  }

  /** The body as filters see it. */
  get payload(): unknown {
    this.#payload ??= JSON.parse(this.body);
    return this.#payload;
  }

  get fields(): Readonly<Record<string, unknown>> {
    this.#fields ??= JSON.parse(this.source.submission.data) as Record<string, unknown>;
    return this.#fields;
  }

  get view(): TemplateView {
    this.#view ??= viewOf(this);
    return this.#view;
  }

  for(template: CompiledTemplate | null): SubmissionEvent {
    return new EventFor(this, template);
  }
}

/** A webhook's is a document, that of a chat a text. */
export interface CompiledTemplate {
  readonly document: DocumentTemplate | null;
  readonly text: TextTemplate | null;
}

class EventFor implements SubmissionEvent {
  constructor(
    private readonly shared: SharedEvent,
    private readonly template: CompiledTemplate | null,
  ) {}

  get form() {
    return this.shared.source.form;
  }

  get project() {
    return this.shared.source.project;
  }

  get submission() {
    return this.shared.source.submission;
  }

  get files() {
    return this.shared.source.files;
  }

  get isTest(): boolean {
    return this.shared.name === 'webhook.test';
  }

  get body(): string {
    return this.shared.body;
  }

  get link(): string {
    return this.shared.links.submission(this.submission.id);
  }

  fields(): Readonly<Record<string, unknown>> {
    return this.shared.fields;
  }

  fileLink(fileId: string): string {
    return this.shared.links.file(fileId);
  }

  renderText(encode: (value: string) => string): string | null {
    const text = this.template?.text;
    return text ? renderText(text, this.shared.view, encode, this.shared.allowance).text : null;
  }

  once(name: string, make: () => string): string {
    if (this.template !== null) return make();
    const { made } = this.shared;
    const known = made.get(name);
    if (known !== undefined) return known;
    const text = make();
    made.set(name, text);
    return text;
  }

  renderJson(): string | null {
    const document = this.template?.document;
    return document ? renderDocument(document, this.shared.view, this.shared.allowance).text : null;
  }
}

const viewOf = ({ source, fields, links }: SharedEvent): TemplateView => {
  const { form, project, submission, files } = source;
  const { metadata } = submission;
  return {
    form: { id: form.id, public_id: form.publicId, slug: form.slug, name: form.name },
    project: { id: project.id, slug: project.slug, name: project.name },
    submission: {
      id: submission.id,
      created_at: isoTime(submission.createdAt),
      url: links.submission(submission.id),
      files: files.map((file) => ({ ...shownFile(file), url: links.file(file.id) })),
      metadata: shownMetadata(metadata),
    },
    fields,
  };
};

const shownFile = (file: StoredFile) => ({
  id: file.id,
  field: file.fieldName,
  filename: file.filename,
  type: file.mimeType,
  size: file.sizeBytes,
});

const shownMetadata = (metadata: Submission['metadata']) => ({
  ip: metadata.ip,
  user_agent: metadata.userAgent,
  submitted_from: metadata.submittedFrom,
});

/**
 * The webhook's body. The data is put in as the text it is: parsing and writing it again would reorder its keys
 * and round its numbers.
 */
function eventBody(name: EventName, { form, submission, files }: EventSource): string {
  const at = JSON.stringify(isoTime(submission.createdAt));
  const formText = JSON.stringify({
    id: form.id,
    public_id: form.publicId,
    slug: form.slug,
    name: form.name,
  });
  return (
    `{"event":"${name}","timestamp":${at},"form":${formText},` +
    `"submission":{"id":"${submission.id}","data":${submission.data},"files":${JSON.stringify(files.map(shownFile))},` +
    `"metadata":${JSON.stringify(shownMetadata(submission.metadata))},"created_at":${at}}}`
  );
}
