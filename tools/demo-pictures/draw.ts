import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../test/support/browser/chromium.ts';
import { backdrop, PALETTES } from './shapes.ts';
import { CRAFT } from './scenes/craft.ts';
import { CULTURE } from './scenes/culture.ts';
import { FOOD } from './scenes/food.ts';
import { LIVING, SKIES } from './scenes/nature.ts';
import { PLACES } from './scenes/places.ts';
import { THINGS } from './scenes/things.ts';

// Draws the pictures that the items of the demo collection name: a scene and the number of a palette, such as `lighthouse-7`.
// `npx node tools/demo-pictures/draw.ts` writes them with the Chromium of the tests.

const DEMO = new URL('../../services/api/demo/', import.meta.url);
const PICTURES = new URL('pictures/', DEMO);
const [WIDTH, HEIGHT] = [216, 144];
/** Of WebP in Chromium, from 0 to 1: about 1.7 kB for a picture. */
const QUALITY = 0.4;
const FILLING = { ...PLACES, ...SKIES };
const ON_BACKDROP = { ...CRAFT, ...CULTURE, ...FOOD, ...LIVING, ...THINGS };

const ENCODE = `async ([svg, width, height, quality]) => {
  const image = Object.assign(new Image(), { src: 'data:image/svg+xml,' + encodeURIComponent(svg) });
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', quality);
}`;

const { items } = JSON.parse(readFileSync(new URL('collection.json', DEMO), 'utf8')) as { items: { picture: string }[] };
const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES);
  for (const name of new Set(items.map(({ picture }) => picture)))
    writeFileSync(new URL(`${name}.webp`, PICTURES), await encode(page, svgOf(name)));
} finally {
  await browser.close();
}

/** @throws Error if there is no such scene or palette */
function svgOf(name: string): string {
  const [, scene = '', palette] = /^(.+)-(\d)$/.exec(name) ?? [];
  const colours = PALETTES[Number(palette) - 1];
  const draw = FILLING[scene] ?? ON_BACKDROP[scene];
  if (!draw || !colours) throw new Error(`there is no picture ${name}`);
  const behind = scene in FILLING ? '' : backdrop(colours);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 100" width="${WIDTH}" height="${HEIGHT}">${behind}${draw(colours)}</svg>`;
}

async function encode(page: Page, svg: string): Promise<Buffer> {
  const url = await page.evaluate<string>(`(${ENCODE})(${JSON.stringify([svg, WIDTH, HEIGHT, QUALITY])})`);
  return Buffer.from(url.replace(/^.*,/, ''), 'base64');
}
