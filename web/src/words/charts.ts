/** Charts of numbers by day. */
import { count, formatList, formatLongDay, formatNumber } from './format.js';

// Period
export const days = (shown: number): string => count(shown, { one: '# day', other: '# days' });
export const period = 'Period';

// Chart
/** `Sun 15 Nov 2026: Received 12, Rejected 0`. */
export const dayInNumbers = (
  day: string,
  numbers: readonly { readonly label: string; readonly number: number }[],
): string =>
  `${formatLongDay(day)}: ${formatList(numbers.map(({ label, number }) => `${label} ${formatNumber(number)}`))}`;

// Table
export const byDay = (title: string): string => `${title}, by day`;
export const day = 'Day';
export const showAsChart = 'Show as chart';
export const showAsTable = 'Show as table';
export const table = (title: string): string => `${title}, table`;
