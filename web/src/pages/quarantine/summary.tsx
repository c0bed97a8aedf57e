/** The submitted data on one line. */
import { Fragment, useMemo } from 'react';
import { Untrusted } from '../../ui/untrusted.js';
import type { SpamItem } from '../../wire.js';
import * as words from '../../words/quarantine.js';
import { summaryOf } from './folded-data.js';

export function Summary({ data }: Pick<SpamItem, 'data'>) {
  const parts = useMemo(() => summaryOf(data), [data]);
  if (parts.length === 0) return <>{words.noFields}</>;
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that a part has
    <Fragment key={index}>
      {index > 0 && ' · '}
      <Untrusted>{part}</Untrusted>
    </Fragment>
  ));
}
