/** A row of labels. The colour is a dot beside the name: text in eight colours would not be readable in both schemes. */

import { shownCharacters } from '../ui/hidden-characters.js';
import { Untrusted } from '../ui/untrusted.js';
import type { Label } from '../wire.js';

export type ShownLabel = Pick<Label, 'id' | 'name' | 'color'>;

export const LabelDot = ({ color }: Pick<Label, 'color'>) => (
  <span className="label-dot" style={{ background: `var(--mantine-color-${color}-6)` }} aria-hidden />
);

/** `most`: the number of labels shown on one line, followed by the count of the rest. Without it, all labels are shown and wrap. */
export function LabelChips({
  labels,
  most,
}: {
  readonly labels: readonly ShownLabel[];
  readonly most?: number;
}) {
  const shown = labels.slice(0, most);
  const others = labels.slice(shown.length).map(({ name }) => name);
  return labels.length === 0 ? null : (
    <span className="label-chips" data-all={most === undefined}>
      {shown.map(({ id, name, color }) => (
        <span key={id} className="label-chip" title={shownCharacters(name)}>
          <LabelDot color={color} />
          <Untrusted>{name}</Untrusted>
        </span>
      ))}
      {others.length > 0 && (
        <span className="label-chip more" title={others.join(', ')}>
          +{others.length}
        </span>
      )}
    </span>
  );
}
