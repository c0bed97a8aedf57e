/** What an entry of the audit log calls what it was done to. */
import type { AuditEntry } from '../../wire.js';
import * as words from '../../words/audit.js';

export interface ObjectName {
  readonly text: string;
  /** It has no name: the id tells it from others of its kind. */
  readonly hasId: boolean;
  /** Its page; null: it has none, or it is gone. */
  readonly path: string | null;
}

const paths: Readonly<Record<string, string>> = {
  form: '/forms',
  project: '/projects',
  submission: '/submissions',
  destination: '/destinations',
};

/** What was recorded of a thing has its name, mostly. */
const namesOf = (values: AuditEntry['after']): readonly unknown[] => [
  values?.name,
  values?.email,
  values?.address,
];

/**
 * The name that was recorded, else what a form or project is called now, else what the change says. Null where there is nothing to say: there is
 * one account, and some entries are about many things.
 */
export function objectNameOf(
  { action, object: { kind, id, name }, before, after }: AuditEntry,
  nameNow: string | null,
  isEachKnown: boolean,
): ObjectName | null {
  const known = [name, nameNow, ...namesOf(after), ...namesOf(before)].find(
    (one) => typeof one === 'string' && one !== '',
  );
  const isMissing = isEachKnown && nameNow === null && (kind === 'form' || kind === 'project');
  const isGone = isMissing || action === `${kind}.deleted`;
  const folder = paths[kind];
  const path = id === null || isGone || folder === undefined ? null : `${folder}/${id}`;
  if (typeof known === 'string') return { text: known, hasId: false, path };
  if (id === null || kind === 'account') return null;
  return { text: words.unnamedObject(kind, isGone), hasId: true, path };
}
