import { useState } from 'preact/hooks';
import { formatSeconds, formatTime } from '../status/format.ts';
import { HOUR_MS, nearestTo, runsOf, xOf, yOf, type Point, type Scale } from './scale.ts';
import { useWidth } from './use-width.ts';

type ChartProps = {
  title: string;
  points: Point[];
  /** The right edge, in milliseconds since 1970; the left edge is an hour before. */
  now: number;
  /** The value of the upper edge. */
  roundUp: (max: number) => number;
  format: (value: number) => string;
};

const HEIGHT = 132;
const MARGIN = { left: 8, right: 8, top: 8, bottom: 24 };
/** Narrower charts have half of the times on their axis. */
const NARROW = 420;

/** A value over the last hour. The pointer shows the values; assistive technology gets them in a sentence. */
export function Chart({ title, points, now, roundUp, format }: ChartProps) {
  const [element, width] = useWidth<HTMLElement>();
  const [pointedX, setPointedX] = useState<number>();
  const values = points.flatMap(({ value }) => value ?? []);
  const scale = scaleOf(width, now, roundUp(Math.max(0, ...values)));
  const pointed = pointedX === undefined ? undefined : nearestTo(scale, points, pointedX);
  const last = pointed ?? points.at(-1);
  const onPointerMove = (event: PointerEvent): void => setPointedX(event.offsetX);
  return (
    <figure class="chart" ref={element}>
      <figcaption>
        <span>{title}</span>
        <span class="chart-value">{describe(last, format, pointed !== undefined)}</span>
      </figcaption>
      {/* Numbers and times alone: what a translation puts into a drawing is not shown. */}
      <svg
        class="notranslate"
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={summarize(title, values, format)}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setPointedX(undefined)}
      >
        <Grid scale={scale} format={format} isNarrow={width < NARROW} />
        {runsOf(points).map((run) => (
          <Run key={run[0]?.time} scale={scale} run={run} />
        ))}
        {pointed && (
          <line class="chart-pointer" x1={xOf(scale, pointed.time)} x2={xOf(scale, pointed.time)} y1={scale.top} y2={scale.bottom} />
        )}
      </svg>
    </figure>
  );
}

function scaleOf(width: number, now: number, max: number): Scale {
  const { left, right, top, bottom } = MARGIN;
  return { left, right: Math.max(width - right, left + 1), top, bottom: HEIGHT - bottom, from: now - HOUR_MS, to: now, max };
}

function describe(point: Point | undefined, format: (value: number) => string, isPointed: boolean): string {
  if (!point) return '';
  const value = point.value === null ? 'not known' : format(point.value);
  return isPointed ? `${value} at ${formatSeconds(point.time)}` : value;
}

function summarize(title: string, values: number[], format: (value: number) => string): string {
  if (values.length === 0) return `${title}: not known yet`;
  return `${title} in the last hour: at least ${format(Math.min(...values))}, at most ${format(Math.max(...values))}, now ${format(values.at(-1) ?? 0)}`;
}

function Grid({ scale, format, isNarrow }: { scale: Scale; format: (value: number) => string; isNarrow: boolean }) {
  const quarters = isNarrow ? [0, 2, 4] : [0, 1, 2, 3, 4];
  return (
    <g class="chart-grid">
      {[0, 0.5, 1].map((share) => (
        <line key={share} x1={scale.left} x2={scale.right} y1={yOf(scale, share * scale.max)} y2={yOf(scale, share * scale.max)} />
      ))}
      <text x={scale.left} y={scale.top + 12}>
        {format(scale.max)}
      </text>
      {quarters.map((quarter) => {
        const time = scale.from + (quarter * HOUR_MS) / 4;
        const anchor = quarter === 0 ? 'start' : quarter === 4 ? 'end' : 'middle';
        return (
          <text key={quarter} x={xOf(scale, time)} y={HEIGHT - 6} text-anchor={anchor}>
            {formatTime(time)}
          </text>
        );
      })}
    </g>
  );
}

function Run({ scale, run }: { scale: Scale; run: { time: number; value: number }[] }) {
  const inHour = run.filter(({ time }) => time >= scale.from);
  const line = inHour.map(({ time, value }) => `${xOf(scale, time)},${yOf(scale, value)}`).join(' ');
  const [first, last] = [inHour[0], inHour.at(-1)];
  if (!first || !last) return null;
  return (
    <g>
      <polygon class="chart-area" points={`${xOf(scale, first.time)},${scale.bottom} ${line} ${xOf(scale, last.time)},${scale.bottom}`} />
      <polyline class="chart-line" points={line} />
      <circle class="chart-end" cx={xOf(scale, last.time)} cy={yOf(scale, last.value)} r="2.5" />
    </g>
  );
}
