/**
 * One line chart: a self-contained SVG, light or dark like the reader's system. Lines differ in colour, dash and mark, so
 * that readers need not rely on colour.
 */
import { isShown, scaleOf, tickText } from './plot-scale.mjs';

const width = 720;
const height = 400;
const right = 24;
const bottom = 52;
const rowHeight = 20;
const tickCount = { x: 8, y: 6 };
/** The marks of points that are closer than this would run together. */
const leastMarkGap = 14;

/** Like the dashboard's charts: the accent first, then neutral colours. Green, amber, red and violet keep their meanings. */
const looks = [
  { light: '#157f7b', dark: '#4bb0ab', dash: '', mark: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z' },
  { light: '#4f7597', dark: '#7ea3c4', dash: '7 4', mark: 'M-3.5-3.5h7v7h-7z' },
  { light: '#8a6f4e', dark: '#c4a987', dash: '2 3', mark: 'M0-4.5L4.5 3.5h-9z' },
  { light: '#6b7480', dark: '#9aa3ad', dash: '9 3 2 3', mark: 'M0-5L5 0L0 5L-5 0z' },
  { light: '#054546', dark: '#a6d8d5', dash: '12 3', mark: 'M0 4.5L4.5-3.5h-9z' },
  { light: '#9c5a7a', dark: '#d69ab8', dash: '4 2', mark: 'M-4.5-1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z' },
];
const lookOf = (i) => looks[i % looks.length];

const colours = (scheme) => looks.map((look, i) => `--k${i}:${look[scheme]}`).join(';');
const style = `
svg{--page:#fff;--text:#22262a;--soft:#5c656e;--rule:#e3e6e9;--edge:#aab2ba;--goal:#5c656e;${colours('light')}}
@media (prefers-color-scheme:dark){svg{--page:#17191b;--text:#e6e8ea;--soft:#a3abb3;--rule:#2c3034;--edge:#5c656e;--goal:#a3abb3;${colours('dark')}}}
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;fill:var(--soft)}
.title{font-size:15px;font-weight:600;fill:var(--text)}
.key{fill:var(--text)}
.rule{stroke:var(--rule);stroke-width:1}
.edge{stroke:var(--edge);stroke-width:1}
.goal{stroke:var(--goal);stroke-width:1;stroke-dasharray:1 3;stroke-linecap:round}
.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.mark{stroke:var(--page);stroke-width:1}`;

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => String(text).replaceAll(/[&<>"]/g, (character) => escapes[character]);
const at = (value) => Number(value.toFixed(1));

const text = (x, y, words, attributes = '') =>
  `<text x="${at(x)}" y="${at(y)}"${attributes}>${escaped(words)}</text>`;

const rule = (x1, y1, x2, y2, kind) =>
  `<line class="${kind}" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`;

/** An estimate of the drawn width, because there is no font to measure with. */
const widthOf = (words) => words.length * 6.6;

/** The legend, with as many keys per row as fit. */
function legend(lines, top) {
  let x = 16;
  let y = top;
  const drawn = lines.map(({ label }, i) => {
    const takes = 36 + widthOf(label) + 16;
    if (x > 16 && x + takes > width - right) {
      x = 16;
      y += rowHeight;
    }
    const { dash, mark } = lookOf(i);
    const key =
      `<path class="line" d="M${x} ${y - 4}h28" stroke="var(--k${i % looks.length})" stroke-dasharray="${dash}"/>` +
      `<path class="mark" d="${mark}" transform="translate(${x + 14} ${y - 4})" fill="var(--k${i % looks.length})"/>` +
      text(x + 36, y, label, ' class="key"');
    x += takes;
    return key;
  });
  return { svg: drawn.join(''), bottom: y };
}

/** Of the points in one pixel column, keeps the lowest and the highest, so that no peak is lost. */
function thinned(points) {
  const kept = [];
  for (let i = 0; i < points.length; ) {
    let end = i;
    while (end < points.length && points[end] !== null && at(points[end][0]) - at(points[i]?.[0] ?? 0) < 0.5)
      end += 1;
    if (end - i <= 2) {
      kept.push(points[i]);
      i += 1;
      continue;
    }
    const column = points.slice(i, end);
    const low = column.reduce((least, point) => (point[1] < least[1] ? point : least));
    const high = column.reduce((most, point) => (point[1] > most[1] ? point : most));
    kept.push(...[low, high].sort((a, b) => column.indexOf(a) - column.indexOf(b)));
    i = end;
  }
  return kept;
}

/** A point is null where the axes cannot show it; the line has a gap there. */
function drawLine(points, i) {
  const colour = `var(--k${i % looks.length})`;
  const { dash, mark } = lookOf(i);
  let isOpen = true;
  const path = thinned(points)
    .map((point) => {
      if (point === null) {
        isOpen = true;
        return '';
      }
      const step = `${isOpen ? 'M' : 'L'}${at(point[0])} ${at(point[1])}`;
      isOpen = false;
      return step;
    })
    .join('');
  const shown = points.filter((point) => point !== null);
  const isSparse = shown.every((point, n) => n === 0 || Math.abs(point[0] - shown[n - 1][0]) >= leastMarkGap);
  const marks = (isSparse ? shown : shown.slice(-1)).map(
    ([x, y]) => `<path class="mark" d="${mark}" transform="translate(${at(x)} ${at(y)})" fill="${colour}"/>`,
  );
  return `<path class="line" d="${path}" stroke="${colour}" stroke-dasharray="${dash}"/>${marks.join('')}`;
}

/**
 * `x`, `y`: `{ label, log? }`. `lines`: `[{ label, points: [[x, y], ...] }]`; a point without a number leaves a gap.
 * `goal`: `{ value, label }`, a level across the chart to compare the lines with. Without `log`, y starts at 0.
 */
export function plot({ title, x, y, lines, goal }) {
  const all = lines.flatMap(({ points }) => points);
  const across = scaleOf(
    all.map((point) => point[0]),
    x,
    { startAtZero: false, tickAtValues: true, count: tickCount.x },
  );
  const up = scaleOf([...all.map((point) => point[1]), ...(goal ? [goal.value] : [])], y, {
    startAtZero: true,
    tickAtValues: false,
    count: tickCount.y,
  });
  const keys = legend(lines, 52);
  const top = keys.bottom + 34;
  const tall = height + (keys.bottom - 52);
  const left = 28 + Math.max(...up.ticks.map((value) => widthOf(tickText(value))), 20);
  const toX = (value) => left + across.place(value) * (width - right - left);
  const toY = (value) => tall - bottom - up.place(value) * (tall - bottom - top);

  const grid = up.ticks.map(
    (value, i) =>
      rule(left, toY(value), width - right, toY(value), i === 0 ? 'edge' : 'rule') +
      text(left - 8, toY(value) + 4, tickText(value), ' text-anchor="end"'),
  );
  const feet = across.ticks.map(
    (value) =>
      rule(toX(value), tall - bottom, toX(value), tall - bottom + 5, 'edge') +
      text(toX(value), tall - bottom + 20, tickText(value), ' text-anchor="middle"'),
  );
  const aim = goal
    ? rule(left, toY(goal.value), width - right, toY(goal.value), 'goal') +
      text(width - right, toY(goal.value) - 5, goal.label, ' text-anchor="end"')
    : '';
  const drawn = lines.map(({ points }, i) =>
    drawLine(
      points.map((point) =>
        isShown(point[0], x) && isShown(point[1], y) ? [toX(point[0]), toY(point[1])] : null,
      ),
      i,
    ),
  );
  const said = `${y.label} by ${x.label}: ${lines.map(({ label }) => label).join(', ')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${tall}" width="${width}" height="${tall}" role="img">
<title>${escaped(title)}</title><desc>${escaped(said)}</desc>
<style>${style}</style>
<rect width="100%" height="100%" fill="var(--page)"/>
${text(16, 26, title, ' class="title"')}
${keys.svg}
${text(16, top - 12, y.label)}
${grid.join('\n')}
${feet.join('\n')}
${text((left + width - right) / 2, tall - 10, x.label, ' text-anchor="middle"')}
${aim}
${drawn.join('\n')}
</svg>
`;
}
