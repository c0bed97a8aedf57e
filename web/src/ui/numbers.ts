/** Numbers as people read them. */
import { formatNumber } from '../words/format.js';

/** `1 form`, `2 forms`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
