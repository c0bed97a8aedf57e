/** What was sent, in one line. */
import { Fragment } from 'react';
import { Untrusted } from '../../ui/untrusted.js';
import { summaryOf } from './folded-data.js';

export function Summary({ data }: { readonly data: unknown }) {
  const parts = summaryOf(data);
  if (parts.length === 0) return <>No fields</>;
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that a part has
    <Fragment key={index}>
      {index > 0 && ' · '}
      <Untrusted>{part}</Untrusted>
    </Fragment>
  ));
}
