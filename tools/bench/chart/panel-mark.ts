import type { Axis, GroupMark, Mark } from 'vega';
import { mark, text } from './marks.ts';
import { disc, goalBand, goalTick, ring, spreadLine } from './row-marks.ts';
import { COLOR } from './palette.ts';
import type { Panel } from './panels.ts';

/** Positions in pixels from the left of the chart. */
const LIMIT_X = 224;
const PLOT_X = 436;
const PLOT_WIDTH = 224;
const RATIO_RIGHT = 708;
const GOAL_RIGHT = 768;

/** Heights in pixels: titles above the rows, and the labels of the axis below them. */
const TITLE_HEIGHT = 50;
const AXIS_HEIGHT = 24;

export function heightOf({ height }: Panel): number {
  return TITLE_HEIGHT + height + AXIS_HEIGHT;
}

/** Draws a panel whose upper end is at `top`. */
export function panelMark(panel: Panel, top: number): GroupMark {
  const { scale, domain, ticks, rows, height } = panel;
  return {
    type: 'group',
    encode: { enter: { x: { value: PLOT_X }, y: { value: top + TITLE_HEIGHT }, width: { value: PLOT_WIDTH }, height: { value: height } } },
    data: [
      { name: 'rows', values: rows },
      { name: 'reached', values: rows.filter(({ reached }) => reached) },
      { name: 'missed', values: rows.filter(({ reached }) => !reached) },
    ],
    // A ratio below the logarithmic scale is drawn at its end.
    scales: [{ name: 'ratio', type: scale, domain, range: [0, PLOT_WIDTH], clamp: true }],
    // The length of grid lines.
    signals: [{ name: 'height', value: height }],
    axes: [ratioAxis(ticks)],
    marks: [...titleMarks(panel), ...plotMarks(panel), ...columnMarks()],
  };
}

function ratioAxis(values: number[]): Axis {
  const label = { format: '~g', labelColor: COLOR.muted, labelFontSize: 11, labelPadding: 6 };
  return { scale: 'ratio', orient: 'bottom', values, grid: true, gridColor: COLOR.line, domain: false, ticks: false, ...label };
}

function titleMarks({ title, subtitle }: Panel): Mark[] {
  const header = { y: -12, fontSize: 11, fill: COLOR.muted };
  return [
    text({ text: title, x: -PLOT_X, y: -36, fontSize: 14, fontWeight: 600 }),
    text({ text: subtitle, x: 128 - PLOT_X, y: -35.5, fill: COLOR.muted }),
    text({ ...header, text: 'path', x: -PLOT_X }),
    text({ ...header, text: 'limit', x: LIMIT_X - PLOT_X }),
    text({ ...header, text: 'ratio', x: RATIO_RIGHT - PLOT_X, align: 'right' }),
    text({ ...header, text: 'goal', x: GOAL_RIGHT - PLOT_X, align: 'right' }),
  ];
}

function plotMarks({ better, height }: Panel): Mark[] {
  const ratio = (field: string) => ({ field, scale: 'ratio' });
  const y = { field: 'y' };
  return [
    goalBand({ x: ratio('goal'), x2: better === 'more' ? PLOT_WIDTH : 0, y }, 'rows'),
    mark('rule', { x: { value: 1, scale: 'ratio' }, y: 0, y2: height, stroke: COLOR.spread }),
    goalTick({ x: ratio('goal'), y }, 'rows'),
    spreadLine({ x: ratio('lowest'), x2: ratio('highest'), y }, 'rows'),
    disc({ x: ratio('median'), y }, 'reached'),
    ring({ x: ratio('median'), y }, 'missed'),
  ];
}

function columnMarks(): Mark[] {
  const y = { field: 'y' };
  const right = { y, align: 'right' };
  return [
    text({ text: { field: 'path' }, x: -PLOT_X, y }, 'rows'),
    text({ text: { field: 'limit' }, x: LIMIT_X - PLOT_X, y, fontSize: 11, fill: COLOR.muted }, 'rows'),
    text({ ...right, text: { field: 'ratioText' }, x: RATIO_RIGHT - PLOT_X, fill: COLOR.reached }, 'reached'),
    text({ ...right, text: { field: 'ratioText' }, x: RATIO_RIGHT - PLOT_X, fill: COLOR.missed, fontWeight: 600 }, 'missed'),
    text({ ...right, text: { field: 'goalText' }, x: GOAL_RIGHT - PLOT_X, fill: COLOR.muted }, 'rows'),
  ];
}
