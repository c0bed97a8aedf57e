/**
 * The forms as the submission endpoint sees them: settings compiled for speed and kept for a moment.
 * Dropped at once when settings change in this process; a change made elsewhere (another process, the command line)
 * counts after `freshForMs` at the latest.
 */
import { NetworkSet, parseNetwork } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { compileOriginPatterns, type OriginPatterns } from '../../kernel/hosts.js';
import type { Signals } from '../../ports/signals.js';
import type { IntakeForm, Store } from '../../ports/store.js';

export interface CompiledForm extends IntakeForm {
  /** null: everyone may submit. */
  readonly origins: OriginPatterns | null;
  readonly blocked: NetworkSet;
  readonly registered: NetworkSet;
}

const freshForMs = 1_000;
const maxForms = 10_000;
/** Visitors choose the ids they ask for: the memory they can take is bounded, and they push out no form that exists. */
const maxUnknown = 1_000;
const idShape = /^[A-Za-z0-9_-]{1,64}$/;

export interface IntakeForms {
  /** What needs no look into the database; undefined: only the database knows. */
  recall(publicId: string): CompiledForm | null | undefined;
  find(publicId: string): CompiledForm | null | Promise<CompiledForm | null>;
}

const networks = (texts: readonly string[]): NetworkSet =>
  new NetworkSet(texts.flatMap((text) => parseNetwork(text) ?? []));

/** Each field by its name: a spread gives every object a hidden class of its own, and what reads them is compiled anew. */
function compile({ form, project, accountId, plan }: IntakeForm): CompiledForm {
  const patterns = form.allowedOrigins.length > 0 ? form.allowedOrigins : project.allowedOrigins;
  return {
    form,
    project,
    accountId,
    plan,
    origins: patterns.length === 0 ? null : compileOriginPatterns(patterns),
    blocked: networks(form.blockedIps),
    registered: networks(form.sandboxIps),
  };
}

interface Entry<T> {
  readonly value: T;
  readonly staleAt: number;
}

function put<T>(entries: Map<string, Entry<T>>, maxEntries: number, publicId: string, entry: Entry<T>): void {
  if (entries.size >= maxEntries) entries.clear();
  entries.set(publicId, entry);
}

export function createIntakeForms(deps: { store: Store; clock: Clock; signals: Signals }): IntakeForms {
  const { store, clock } = deps;
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

  const load = async (publicId: string): Promise<CompiledForm | null> => {
    const startedIn = generation;
    const found = await store.forms.findForIntake(publicId);
    const value = found ? compile(found) : null;
    // A change while we were reading: what we read may be the state before it.
    if (startedIn === generation) {
      const staleAt = clock.now() + freshForMs;
      known.delete(publicId);
      unknown.delete(publicId);
      if (value) put(known, maxForms, publicId, { value, staleAt });
      else put(unknown, maxUnknown, publicId, { value, staleAt });
      loading.delete(publicId);
    }
    return value;
  };

  const recall = (publicId: string): CompiledForm | null | undefined => {
    const entry = known.get(publicId) ?? unknown.get(publicId);
    const now = clock.now();
    // Also when the clock was set back: an entry is never kept for longer than it was meant.
    if (entry && entry.staleAt > now && entry.staleAt <= now + freshForMs) return entry.value;
    return idShape.test(publicId) ? undefined : null;
  };

  return {
    recall,
    find(publicId) {
      const recalled = recall(publicId);
      if (recalled !== undefined) return recalled;
      let pending = loading.get(publicId);
      if (!pending) {
        pending = load(publicId);
        loading.set(publicId, pending);
        pending.catch(() => loading.delete(publicId));
      }
      return pending;
    },
  };
}
