/** Copies the destinations of a form that is duplicated. Write-only values are not copied. */
import { builtInId, type Destination, isSecretHeader, type KindAndConfig } from '../../model/destination.js';
import type { Form } from '../../model/form.js';

/** `isComplete` false: something was left out, and the copy is inactive. Returns null for kinds that need their secrets. */
function withoutSecrets(stored: KindAndConfig): (KindAndConfig & { readonly isComplete: boolean }) | null {
  if (stored.kind === 'email') return { ...stored, isComplete: true };
  if (stored.kind !== 'webhook') return null;
  const { headers, secret } = stored.config;
  const shown = Object.entries(headers).filter(([name]) => !isSecretHeader(name));
  return {
    kind: 'webhook',
    config: { ...stored.config, secret: null, headers: Object.fromEntries(shown) },
    isComplete: secret === null && shown.length === Object.keys(headers).length,
  };
}

export interface CopiedDestination {
  readonly copy: Destination | null;
  readonly isComplete: boolean;
}

/** `id` is for destinations that are not built in: the ids of built-in ones are derived from their form's. */
export function copiedDestination(original: Destination, to: Form, id: string): CopiedDestination {
  const place = { projectId: to.projectId, formId: to.id, createdAt: to.createdAt, updatedAt: to.updatedAt };
  if (original.builtIn && (original.kind === 'webhook' || original.kind === 'email'))
    return { copy: { ...original, ...place, id: builtInId(to.id, original.kind) }, isComplete: true };
  const bare = withoutSecrets(original);
  if (bare === null) return { copy: null, isComplete: false };
  const { isComplete, ...config } = bare;
  return {
    copy: { ...original, ...place, ...config, id, isActive: original.isActive && isComplete },
    isComplete,
  };
}
