/**
 * The forms as the submission endpoint sees them: settings compiled for speed and cached briefly.
 * The cache is cleared when settings change in this process; a change made elsewhere (another process, the command line)
 * takes effect after `freshForMs` at the latest.
 */
import { NetworkSet, parseNetwork } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { compileOriginPatterns, type OriginPatterns } from '../../kernel/hosts.js';
import { aliasOf } from '../../model/alias.js';
import type { Signals } from '../../ports/signals.js';
import type { IntakeForm, Store } from '../../ports/store.js';
import { compileRules, type Rules } from '../fields/rules.js';
import { type Routes, routesOf } from '../planning/plan.js';

export interface CompiledForm extends Omit<IntakeForm, 'destinations'> {
  readonly routes: Routes;
  /** null when everyone may submit. */
  readonly origins: OriginPatterns | null;
  readonly blocked: NetworkSet;
  readonly registered: NetworkSet;
  /** null when every field is accepted. */
  readonly rules: Rules | null;
  /** The origin of its hosted page; null when it has none. */
  readonly hostedOrigin: string | null;
}

const freshForMs = 1_000;
const maxForms = 10_000;
/** Visitors choose the names they request: the memory these take is bounded, and they evict no existing form. */
const maxUnknown = 1_000;

/** By public id or alias, as the visitor spells it. */
export interface IntakeForms {
  /** Does not query the database. Returns undefined when only the database knows. */
  recall(name: string): CompiledForm | null | undefined;
  find(name: string): Promise<CompiledForm | null>;
}

/** Blanks are trimmed when an alias is added; in a request they make it a different name. */
const spelt = (name: string): string | null => (name.trim() === name ? aliasOf(name) : null);

const networks = (texts: readonly string[]): NetworkSet =>
  new NetworkSet(texts.flatMap((text) => parseNetwork(text) ?? []));

/** Lists every property: a spread gives each object its own hidden class, and code that reads them is compiled again. */
function compile(
  { form, project, destinations, accountId, plan }: IntakeForm,
  ownOrigin: string,
): CompiledForm {
  const patterns = form.allowedOrigins.length > 0 ? form.allowedOrigins : project.allowedOrigins;
  return {
    form,
    project,
    routes: routesOf({ form, project }, destinations),
    accountId,
    plan,
    origins: patterns.length === 0 ? null : compileOriginPatterns(patterns),
    blocked: networks(form.blockedIps),
    registered: networks(form.sandboxIps),
    rules: compileRules(form.fields, form.unknownFields),
    hostedOrigin: form.hostedPage ? ownOrigin : null,
  };
}

interface Entry<T> {
  readonly value: T;
  readonly staleAt: number;
}

function put<T>(entries: Map<string, Entry<T>>, maxEntries: number, name: string, entry: Entry<T>): void {
  if (entries.size >= maxEntries) entries.clear();
  entries.set(name, entry);
}

export function createIntakeForms(deps: {
  store: Store;
  clock: Clock;
  signals: Signals;
  /** The public URL of this instance. */
  baseUrl: string;
}): IntakeForms {
  const { store, clock } = deps;
  const ownOrigin = new URL(deps.baseUrl).origin;
  const known = new Map<string, Entry<CompiledForm>>();
  const unknown = new Map<string, Entry<null>>();
  const loading = new Map<string, Promise<CompiledForm | null>>();
  let generation = 0;
  deps.signals.subscribe('intake-changed', () => {
    generation += 1;
    known.clear();
    unknown.clear();
    loading.clear();
  });

  const load = async (name: string): Promise<CompiledForm | null> => {
    const startedIn = generation;
    const found = await store.forms.findForIntake(name);
    const value = found ? compile(found, ownOrigin) : null;
    // Not cached if settings changed during the read: the result may be older than the change.
    if (startedIn === generation) {
      const staleAt = clock.now() + freshForMs;
      known.delete(name);
      unknown.delete(name);
      if (value) put(known, maxForms, name, { value, staleAt });
      else put(unknown, maxUnknown, name, { value, staleAt });
      loading.delete(name);
    }
    return value;
  };

  const recallExactly = (name: string): CompiledForm | null | undefined => {
    const entry = known.get(name) ?? unknown.get(name);
    const now = clock.now();
    // The upper bound covers a clock that was set back: no entry may outlive `freshForMs`.
    return entry && entry.staleAt > now && entry.staleAt <= now + freshForMs ? entry.value : undefined;
  };

  /** An alias has many spellings: they share one entry, so that they do not evict other forms. */
  const recall = (name: string): CompiledForm | null | undefined => {
    const recalled = recallExactly(name);
    if (recalled !== undefined) return recalled;
    const alias = spelt(name);
    if (alias === null) return null;
    return alias === name ? undefined : recallExactly(alias);
  };

  return {
    recall,
    async find(name) {
      const recalled = recall(name);
      if (recalled !== undefined) return recalled;
      const alias = spelt(name) ?? name;
      let pending = loading.get(alias);
      if (!pending) {
        pending = load(alias);
        loading.set(alias, pending);
        pending.catch(() => loading.delete(alias));
      }
      return pending;
    },
  };
}
