/** The name of the object of an audit log entry. */
import type { AuditEntry } from '../../wire.js';
import * as words from '../../words/audit.js';

export interface ObjectName {
  readonly text: string;
  /** It has no name: its id tells it apart from others of its kind. */
  readonly hasId: boolean;
  /** Its page; null when it has none or was deleted. */
  readonly path: string | null;
}

const paths: Readonly<Record<string, string>> = {
  form: '/forms',
  project: '/projects',
  submission: '/submissions',
  destination: '/destinations',
};

/** The recorded values usually include a name. */
const namesOf = (values: AuditEntry['after']): readonly unknown[] => [
  values?.name,
  values?.email,
  values?.address,
];

/**
 * The recorded name, else the current name of the form or project, else a name from the changed values. Returns null where there is
 * nothing to say: there is only one account, and some entries concern many objects.
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
