import type { Mark } from 'vega';
import { mark, text, type Value } from './marks.ts';
import { COLOR } from './palette.ts';

type Position = { x: Value; y: Value };
type Range = Position & { x2: Value };

const BAND_HEIGHT = 14;
const SYMBOL = { size: 72, strokeWidth: 2 };

/** The median of a figure that reaches its goal. */
export function disc(position: Position, data?: string): Mark {
  return mark('symbol', { ...position, ...SYMBOL, fill: COLOR.reached, stroke: COLOR.reached }, data);
}

/** The median of a figure that misses its goal: recognizable without colours. */
export function ring(position: Position, data?: string): Mark {
  return mark('symbol', { ...position, ...SYMBOL, fill: COLOR.background, stroke: COLOR.missed }, data);
}

export function spreadLine(range: Range, data?: string): Mark {
  return mark('rule', { ...range, stroke: COLOR.spread, strokeWidth: 2 }, data);
}

export function goalTick({ x, y }: Position, data?: string): Mark {
  return mark('rect', { xc: x, yc: y, width: 2, height: BAND_HEIGHT, fill: COLOR.text }, data);
}

/** The ratios that reach a goal. */
export function goalBand({ y, ...range }: Range, data?: string): Mark {
  return mark('rect', { ...range, yc: y, height: BAND_HEIGHT, fill: COLOR.band }, data);
}

/** Explains the marks in one line. */
export function legendMarks(y: number): Mark[] {
  const note = (words: string, x: number): Mark => text({ text: words, x, y, fill: COLOR.muted });
  return [
    disc({ x: 6, y }),
    note('median, goal reached', 18),
    ring({ x: 172, y }),
    note('goal missed', 184),
    spreadLine({ x: 272, x2: 296, y }),
    note('lowest to highest round', 304),
    goalBand({ x: 470, x2: 494, y }),
    goalTick({ x: 470, y }),
    note('goal, and the ratios that reach it', 502),
  ];
}
