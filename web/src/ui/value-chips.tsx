/** Several short values in one place. */
import { Untrusted } from './untrusted.js';

export const ValueChips = ({ values }: { readonly values: readonly string[] }) => (
  <span className="value-chips">
    {values.map((value, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: what was sent once does not change
      <span key={place} className="value-chip">
        <Untrusted>{value}</Untrusted>
      </span>
    ))}
  </span>
);
