/** The destination of a delivery as it is now, cached briefly: a busy one is needed for every send. */
import type { Clock } from '../../kernel/clock.js';
import { isSameUrl } from '../../kernel/hosts.js';
import type { Delivery } from '../../model/delivery.js';
import {
  builtInEmail,
  builtInId,
  builtInToVisitor,
  builtInWebhook,
  type Destination,
  purposeOf,
} from '../../model/destination.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import type { SigningSecrets } from '../../ports/destination-kind.js';
import type { Signals } from '../../ports/signals.js';
import type { FormAndProject, Store } from '../../ports/store.js';

/** What identifies the destination of a delivery. */
export type Addressed = Pick<Delivery, 'formId' | 'projectId' | 'destinationId' | 'kind' | 'target' | 'url'>;

export type Current =
  | { readonly destination: Destination; readonly signing: SigningSecrets }
  /** Why the delivery has no destination any more. */
  | { readonly destination: null; readonly reason: string };

export interface CurrentDestinations {
  get(delivery: Addressed): Promise<Current>;
}

const freshForMs = 1_000;
const maxEntries = 10_000;

export function createCurrentDestinations(deps: {
  store: Store;
  clock: Clock;
  signals: Signals;
}): CurrentDestinations {
  const { store, clock, signals } = deps;
  const entries = new Map<string, { value: Promise<Current>; staleAt: number }>();
  signals.subscribe('intake-changed', () => entries.clear());

  return {
    get(delivery) {
      const { formId, projectId, destinationId, kind, url } = delivery;
      // Only for a webhook does the URL help to identify the destination.
      const key = `${formId} ${projectId} ${destinationId} ${kind === 'webhook' ? url : ''}`;
      const now = clock.now();
      const known = entries.get(key);
      // The upper bound covers a clock that was set back: no entry may outlive `freshForMs`.
      if (known && known.staleAt > now && known.staleAt <= now + freshForMs) return known.value;
      if (entries.size >= maxEntries) entries.clear();
      const value = load(store, delivery);
      entries.set(key, { value, staleAt: now + freshForMs });
      value.catch(() => entries.delete(key));
      return value;
    },
  };
}

async function load(store: Store, delivery: Addressed): Promise<Current> {
  const [owner, stored] = await Promise.all([
    store.forms.findWithProject(delivery.formId),
    store.destinations.load(delivery.destinationId),
  ]);
  if (!owner) return { destination: null, reason: 'the form was deleted' };
  const project = await projectOf(store, delivery, owner);
  const destination =
    stored && !stored.builtIn ? stored : builtInOf(delivery, { form: owner.form, project }, stored);
  // A form's deliveries are signed with the secrets of the project that the form is in now.
  const signer = delivery.target === 'form' ? owner.project : project;
  if (!destination || !signer) {
    const what = delivery.kind === 'webhook' ? 'webhook URL' : 'destination';
    return { destination: null, reason: `the ${what} was removed` };
  }
  if (!destination.isActive) return { destination: null, reason: 'the destination is disabled' };
  // The same object for all attempts, because what is derived from it is cached by its identity.
  return { destination, signing: signingOf(signer) };
}

/** Returns the project that it was planned in, which the form may have left since, or null if it was deleted. */
async function projectOf(
  store: Store,
  { projectId }: Addressed,
  { project }: FormAndProject,
): Promise<Project | null> {
  return projectId === project.id ? project : store.projects.load(projectId);
}

export const signingOf = ({
  webhookSecret: secret,
  previousSecret,
  previousSecretUntil,
}: Project): SigningSecrets => ({ secret, previousSecret, previousSecretUntil });

/** Where it goes, as its owner sees it: a webhook to its current URL, everything else to the planned address. */
export const addressOf = ({ url }: Pick<Delivery, 'url'>, { kind, config }: Destination): string =>
  kind === 'webhook' ? config.url : url;

/** `stored` is the destination's row, if it has one. */
function builtInOf(
  { destinationId, target, url }: Addressed,
  { form, project }: { readonly form: Form; readonly project: Project | null },
  stored: Destination | null,
): Destination | null {
  const owner = target === 'form' ? form : project;
  if (!owner) return null;
  if (destinationId === builtInId(owner.id, 'email')) return builtInEmail(owner, stored);
  const purpose = purposeOf(destinationId);
  if (purpose !== 'notification') return builtInToVisitor(form, purpose);
  if (destinationId !== builtInId(owner.id, 'webhook')) return null;
  const own = builtInWebhook(owner, stored);
  if (own) return own;
  // A webhook of both form and project was planned for the form only. The project may still have its URL.
  const shared = project && builtInWebhook(project, null);
  return shared && isSameUrl(url, shared.config.url) ? shared : null;
}
