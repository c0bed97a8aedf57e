/** Stacked bars, one for each day. The only file that imports the charts, which are large: load it lazily. */
import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { formatCount } from '../numbers.js';
import { type DayRow, longDay, namedDays, type Series, shortDay } from './days.js';

export interface DayBarsProps {
  readonly rows: readonly DayRow[];
  readonly series: readonly Series[];
  readonly height: number;
}

/** So many bars are so thin that every pixel between them is missed. */
const denseFrom = 45;

export function DayBars({ rows, series, height }: DayBarsProps) {
  const isDense = rows.length >= denseFrom;
  return (
    <BarChart
      h={height}
      data={rows.map((row) => ({ ...row }))}
      dataKey="day"
      type="stacked"
      series={series.map((each) => ({ ...each }))}
      valueFormatter={formatCount}
      tickLine="none"
      strokeDasharray="0"
      gridColor="var(--inlet-line)"
      textColor="dimmed"
      cursorFill="var(--inlet-surface)"
      maxBarWidth={26}
      // The same numbers stand in a table: a picture that takes the focus would only be in the way.
      accessibilityLayer={false}
      barChartProps={{
        barCategoryGap: isDense ? 1 : '18%',
        margin: { top: 10, right: 12, bottom: 4, left: 0 },
      }}
      // The line in the colour of the page parts the stacked pieces also for those who see no colours.
      barProps={{ stroke: 'var(--mantine-color-body)', strokeOpacity: 1, strokeWidth: isDense ? 0.5 : 1 }}
      xAxisProps={{ tickFormatter: shortDay, interval: 0, ticks: [...namedDays(rows.map(({ day }) => day))] }}
      yAxisProps={{ allowDecimals: false, width: 44 }}
      // It is asked for words also while it points at no day.
      tooltipProps={{ labelFormatter: (day) => (typeof day === 'string' ? longDay(day) : '') }}
    />
  );
}
