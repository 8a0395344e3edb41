import { writeFile } from 'node:fs/promises';
import { parse, View, type Mark, type Spec } from 'vega';
import { legendMarks } from './row-marks.ts';
import { text } from './marks.ts';
import { COLOR, withDarkTheme } from './palette.ts';
import { heightOf, panelMark } from './panel-mark.ts';
import { toPanels } from './panels.ts';
import { conditionsOf, mergeFigures, type SavedRun } from './saved-run.ts';

const WIDTH = 800;
const MARGIN = 16;
const FONT = "-apple-system, BlinkMacSystemFont, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif";

/** Vertical positions and distances in pixels. */
const TITLE_Y = 10;
const LEGEND_Y = 40;
const FIRST_PANEL_Y = 66;
const PANEL_GAP = 24;

export async function writeChart(file: string, runs: SavedRun[]): Promise<void> {
  await writeFile(file, await drawChart(runs));
}

/** @returns an SVG, 800 pixels wide: the ratio of each figure beside its goal. The same runs give the same SVG. */
export async function drawChart(runs: SavedRun[]): Promise<string> {
  const marks = [
    text({ text: 'The service beside its limits', x: 0, y: TITLE_Y, fontSize: 16, fontWeight: 600 }),
    ...legendMarks(LEGEND_Y),
  ];
  let y = FIRST_PANEL_Y;
  for (const panel of toPanels(mergeFigures(runs))) {
    marks.push(panelMark(panel, y));
    y += heightOf(panel) + PANEL_GAP;
  }
  const conditions = `${conditionsOf(runs)}. Load, service, limits and stores share the cores.`;
  marks.push(text({ text: conditions, x: 0, y, fontSize: 11, fill: COLOR.muted }));
  return withDarkTheme(await render(marks, y + MARGIN / 2));
}

async function render(marks: Mark[], height: number): Promise<string> {
  const spec: Spec = {
    width: WIDTH - 2 * MARGIN,
    height,
    padding: MARGIN,
    // The widths of texts are not known without a browser, so no position depends on them.
    autosize: 'none',
    background: COLOR.background,
    config: { text: { font: FONT }, axis: { labelFont: FONT } },
    marks,
  };
  return `${await new View(parse(spec), { renderer: 'none' }).toSVG()}\n`;
}
