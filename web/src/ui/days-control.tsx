/** Selects the number of days in a chart. */
import { SegmentedControl } from '@mantine/core';
import * as words from '../words/charts.js';

const choices = [7, 30, 90] as const;
export const usualDays = 30;

/** The number of days in the URL, if it is one of the choices. */
export const daysOf = (text: string | null): number =>
  choices.find((days) => String(days) === text) ?? usualDays;

interface DaysControlProps {
  readonly days: number;
  readonly onDays: (days: number) => void;
}

export const DaysControl = ({ days, onDays }: DaysControlProps) => (
  <SegmentedControl
    aria-label={words.period}
    size="sm"
    value={String(days)}
    onChange={(text) => onDays(daysOf(text))}
    data={choices.map((choice) => ({ value: String(choice), label: words.days(choice) }))}
  />
);
