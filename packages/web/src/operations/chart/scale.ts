/** A point of the chart: time in milliseconds since 1970; the value is null where it is not known. */
export type Point = { time: number; value: number | null };

/** The plot area in pixels, and what its edges mean. */
export type Scale = { left: number; right: number; top: number; bottom: number; from: number; to: number; max: number };

export const HOUR_MS = 3_600_000;

const DURATION_STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 18_000, 43_200, 86_400];

/** @returns 2, 5 or 10 times a power of ten that is greater than `max`, so that the line stays below the label */
export function roundUpCount(max: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(max, 1)));
  return [2, 5, 10].map((step) => step * power).find((step) => step > max) ?? 2 * max;
}

/** @returns a length of time that people use and that is greater than `max`, in seconds */
export function roundUpSeconds(max: number): number {
  return DURATION_STEPS.find((step) => step > max) ?? Math.ceil(max / 86_400) * 86_400;
}

export function xOf(scale: Scale, time: number): number {
  const share = (time - scale.from) / (scale.to - scale.from);
  return round(scale.left + share * (scale.right - scale.left));
}

export function yOf(scale: Scale, value: number): number {
  return round(scale.bottom - (value / scale.max) * (scale.bottom - scale.top));
}

/** Runs of points whose values are known. A point without a value separates two runs. */
export function runsOf(points: Point[]): { time: number; value: number }[][] {
  const runs: { time: number; value: number }[][] = [[]];
  for (const { time, value } of points) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push({ time, value });
  }
  return runs.filter((run) => run.length > 0);
}

/** The point that is nearest to the position `x`, in pixels. */
export function nearestTo(scale: Scale, points: Point[], x: number): Point | undefined {
  const distance = ({ time }: Point): number => Math.abs(xOf(scale, time) - x);
  return points.reduce<Point | undefined>((best, point) => (best && distance(best) <= distance(point) ? best : point), undefined);
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
