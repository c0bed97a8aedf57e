/** One bar per day on a single line, without text. */
import './charts.css';
import { barHeights } from './days.js';

const width = 120;
const height = 20;

export function DayStrip({ counts }: { readonly counts: readonly number[] }) {
  const step = width / Math.max(counts.length, 1);
  return (
    <svg className="strip-bars" width={width} height={height} aria-hidden="true">
      {barHeights(counts, height - 1).map((barHeight, index) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is the day
          key={index}
          x={index * step}
          y={height - 1 - barHeight}
          width={Math.max(step - 1, 1)}
          height={barHeight}
          rx={0.5}
        />
      ))}
      <rect className="strip-foot" y={height - 1} width={width} height={1} />
    </svg>
  );
}
