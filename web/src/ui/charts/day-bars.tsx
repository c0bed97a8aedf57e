/**
 * Stacked bars, one per day. Each day can be hovered or reached by keyboard (Tab to the last, then the arrows) and then shows its
 * numbers. A screen reader reads the same text.
 */
import { UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useRef, useState } from 'react';
import * as words from '../../words/charts.js';
import { formatLongDay, formatNumber, formatShortDay } from '../../words/format.js';
import { type DayRow, namedDays, numberOf, type Series } from './days.js';
import { piecesOf, ticksUpTo } from './scale.js';

interface DayBarsProps {
  readonly rows: readonly DayRow[];
  readonly series: readonly Series[];
  readonly height: number;
}

/** In pixels: room for the numbers on the left, the days below, and half a number above. */
const edges = { left: 40, bottom: 24, top: 8 };
/** Half the width of `28 Nov`. */
const halfName = 20;
const widestBar = 24;
/** The bar's share of its slot. */
const barShare = 0.72;
/** Keeps a single submission among thousands visible. */
const leastHeight = 2;

const wordsOf = (row: DayRow, series: readonly Series[]): string =>
  words.dayInNumbers(
    row.day,
    series.map(({ name, label }) => ({ label, number: numberOf(row, name) })),
  );

/** The day that a key leads to, from the current one. */
const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => Math.max(0, at - 1),
  ArrowRight: (at, last) => Math.min(last, at + 1),
  Home: () => 0,
  End: (_, last) => last,
};

interface GridProps {
  readonly width: number;
  /** The height of the plot area. */
  readonly plot: number;
  readonly ticks: readonly number[];
}

function Grid({ width, plot, ticks }: GridProps) {
  const top = ticks.at(-1) ?? 1;
  const yOf = (tick: number) => edges.top + plot * (1 - tick / top);
  return (
    <g>
      {ticks.map((tick) => (
        <line key={tick} className="chart-line" x1={edges.left} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
      ))}
      {ticks.map((tick) => (
        <text
          key={tick}
          className="chart-words"
          x={edges.left - 8}
          y={yOf(tick)}
          dy="0.32em"
          textAnchor="end"
        >
          {formatNumber(tick)}
        </text>
      ))}
    </g>
  );
}

interface DayNamesProps {
  readonly days: readonly string[];
  readonly slot: number;
  readonly width: number;
  readonly y: number;
}

function DayNames({ days, slot, width, y }: DayNamesProps) {
  const named = new Set(namedDays(days));
  const xOf = (at: number) => edges.left + (at + 0.5) * slot;
  // The last label ends with the chart instead of overflowing it.
  const isTight = (at: number) => xOf(at) + halfName > width;
  return (
    <g>
      {days.map(
        (day, at) =>
          named.has(day) && (
            <text
              key={day}
              className="chart-words"
              x={isTight(at) ? width : xOf(at)}
              y={y}
              textAnchor={isTight(at) ? 'end' : 'middle'}
            >
              {formatShortDay(day)}
            </text>
          ),
      )}
    </g>
  );
}

interface BarProps {
  readonly row: DayRow;
  readonly series: readonly Series[];
  readonly top: number;
  readonly plot: number;
  readonly x: number;
  readonly slot: number;
}

function Bar({ row, series, top, plot, x, slot }: BarProps) {
  const width = Math.max(1, Math.min(widestBar, slot * barShare));
  return piecesOf(row, series, top).map(({ name, color, from, to }) => {
    const height = Math.max(leastHeight, plot * (to - from));
    return (
      <rect
        key={name}
        className="chart-piece"
        fill={color}
        x={x + (slot - width) / 2}
        y={edges.top + plot * (1 - from) - height}
        width={width}
        height={height}
      />
    );
  });
}

interface NumbersProps {
  readonly row: DayRow;
  readonly series: readonly Series[];
  /** As a fraction of the chart's width. */
  readonly at: number;
}

function Numbers({ row, series, at }: NumbersProps) {
  return (
    <div
      className="chart-numbers"
      style={{ left: `${at * 100}%`, translate: `${-at * 100}%` }}
      aria-hidden="true"
    >
      <b>{formatLongDay(row.day)}</b>
      {series.map(({ name, label, color }) => (
        <span key={name} className="chart-number">
          <span className="chart-mark" style={{ background: color }} />
          {label}
          <b>{formatNumber(numberOf(row, name))}</b>
        </span>
      ))}
    </div>
  );
}

interface DaysProps {
  readonly rows: readonly DayRow[];
  readonly series: readonly Series[];
  /** The day whose numbers are shown. */
  readonly pointed: number | null;
  readonly onPoint: (at: number | null) => void;
}

/** One tab stop, with the arrow keys from there on. Hovering, touching or focusing a day shows its numbers. */
function Days({ rows, series, pointed, onPoint }: DaysProps) {
  const list = useRef<HTMLUListElement>(null);
  const last = rows.length - 1;
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll('button')[step(at, last)]?.focus();
  };
  return (
    <ul ref={list} className="chart-days" style={{ left: edges.left, top: edges.top, bottom: edges.bottom }}>
      {rows.map((row, at) => (
        <li key={row.day}>
          <UnstyledButton
            className="chart-day"
            aria-label={wordsOf(row, series)}
            tabIndex={at === Math.min(pointed ?? last, last) ? 0 : -1}
            onPointerEnter={() => onPoint(at)}
            onPointerLeave={() => onPoint(null)}
            onFocus={() => onPoint(at)}
            onBlur={() => onPoint(null)}
            onKeyDown={(event) => onKeyDown(event, at)}
          />
        </li>
      ))}
    </ul>
  );
}

export function DayBars({ rows, series, height }: DayBarsProps) {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number | null>(null);
  const plot = height - edges.top - edges.bottom;
  const slot = Math.max(0, width - edges.left) / rows.length;
  const sums = rows.map((row) => series.reduce((sum, { name }) => sum + numberOf(row, name), 0));
  const ticks = ticksUpTo(Math.max(...sums));
  const shown = pointed === null ? undefined : rows[pointed];
  return (
    <div ref={ref} className="chart" style={{ height }}>
      <svg width={width} height={height} aria-hidden="true">
        <Grid width={width} plot={plot} ticks={ticks} />
        {rows.map((row, at) => (
          <Bar
            key={row.day}
            {...{ row, series, plot, slot }}
            top={ticks.at(-1) ?? 1}
            x={edges.left + at * slot}
          />
        ))}
        <DayNames days={rows.map(({ day }) => day)} slot={slot} width={width} y={height - 4} />
      </svg>
      <Days rows={rows} series={series} pointed={pointed} onPoint={setPointed} />
      {shown !== undefined && pointed !== null && width > 0 && (
        <Numbers row={shown} series={series} at={(edges.left + (pointed + 0.5) * slot) / width} />
      )}
    </div>
  );
}
