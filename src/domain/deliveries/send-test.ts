/** "Send a test": sends a sample submission to a destination the way a real one is sent, and returns the result. */
import type { Clock } from '../../kernel/clock.js';
import { Slots } from '../../kernel/concurrency.js';
import { newId } from '../../kernel/ids.js';
import type { Destination } from '../../model/destination.js';
import { refuse } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import type { Submission } from '../../model/submission.js';
import { kindOf, type SendResult } from '../../ports/destination-kind.js';
import { shareEvent } from '../planning/event.js';
import { type Planning, routeOf } from '../planning/plan.js';
import { signingOf } from '../sending/current.js';

/** Concurrent tests of all kinds: they share the connections to an endpoint with real deliveries. */
const maxTests = 32;
const maxTestsPerAccount = 4;

export class TestSender {
  readonly #slots = new Slots(maxTests, maxTestsPerAccount);

  constructor(private readonly deps: { readonly planning: Planning; readonly clock: Clock }) {}

  async send(destination: Destination, form: Form | null, project: Project): Promise<SendResult> {
    const { planning, clock } = this.deps;
    const now = clock.now();
    const submission = sampleSubmission(project, form, now);
    const source = { form: form ?? sampleForm(project), project, submission, files: [] };
    const event = shareEvent(source, 'webhook.test', planning.links);
    const kind = kindOf(planning.kinds, destination);
    const [prepared] = kind.prepare(event.for(routeOf(destination).template), destination);
    if (!prepared) throw refuse.noWebhookUrl();
    const { address: url, body } = prepared;
    const message = { id: newId(now), submissionId: submission.id, url, body, attempt: 1, isRepeated: false };
    const free = this.#slots.take(project.accountId);
    if (!free) throw refuse.busy();
    return kind.send(message, destination, signingOf(project)).finally(free);
  }
}

type NamedForm = Pick<Form, 'id' | 'publicId' | 'slug' | 'name' | 'fields'>;

const sampleForm = (project: Project): NamedForm => ({
  id: project.id,
  publicId: 'test',
  slug: 'test',
  name: 'Test',
  fields: [],
});

export const sampleSubmission = (project: Project, form: Form | null, now: number): Submission => ({
  id: newId(now),
  formId: form?.id ?? project.id,
  projectId: project.id,
  data: JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', message: 'This is a test.' }),
  metadata: {
    ip: '192.0.2.1',
    userAgent: 'Inlet',
    submittedFrom: 'https://example.com/contact',
    controlFields: null,
  },
  createdAt: now,
});
