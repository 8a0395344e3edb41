import { afterAll, describe, expect, it } from '@jest/globals';
import { readLogo } from '@ugc/api/http/pages/logo';
import { accentStyles, contrast, parse } from '@ugc/api/page-settings/accent';
import { pageFields } from '@ugc/api/page-settings/page-fields';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOKENS = readFileSync(new URL('../../packages/web/src/shared/styles/tokens.css', import.meta.url), 'utf8');

/** The colours of the two schemes, by their names. */
function coloursOf(css: string): Record<string, [light: string, dark: string]> {
  return Object.fromEntries(
    [...css.matchAll(/--([\w-]+):\s*light-dark\((#\w{6}),\s*(#\w{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
      name,
      [light, dark],
    ]),
  );
}

describe('PAGE_ACCENT', () => {
  const readable = (accent: string): number => {
    const made = accentStyles(accent);
    if ('darker' in made) return readable(made.darker);
    const colours = { ...coloursOf(TOKENS), ...coloursOf(made.styles) };
    const onSurfaces = ['surface', 'surface-sunken', 'surface-raised', 'surface-hover', 'accent-surface'].map((name) => ['accent', name]);
    const pairs = [...onSurfaces, ['on-accent', 'accent'], ['on-accent', 'accent-strong']];
    const contrasts = pairs.flatMap(([one = '', other = '']) =>
      ([0, 1] as const).map((scheme) => contrast(parse(colours[one]?.[scheme] ?? ''), parse(colours[other]?.[scheme] ?? ''))),
    );
    return Math.min(...contrasts);
  };

  it('of any colour gives texts that can be read in both schemes, or names a darker colour that does', () => {
    const random = Array.from({ length: 300 }, () => `#${randomInt(0x1000000).toString(16).padStart(6, '0')}`);
    const unreadable = [...random, '#000000', '#ffffff', '#ffff00', '#0000ff', '#ff0000', '#777777'].filter(
      (accent) => readable(accent) < 4.5,
    );
    expect(unreadable).toEqual([]);
  });

  it('keeps a colour that can be read as it is', () => {
    expect(accentStyles('#0b6e4f')).toEqual({ styles: expect.stringContaining('--accent:light-dark(#0b6e4f,') });
  });

  it.each([
    ['green', 'must be a colour such as #0b6e4f'],
    ['#fff', 'must be a colour such as #0b6e4f'],
    ['#f5b84b', expect.stringMatching(/^is too light: white text on it could not be read; #\w{6} would do$/)],
  ])('%s is refused with what would be right', (value, message) => {
    expect(pageFields.PAGE_ACCENT.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

describe('PAGE_LINKS', () => {
  it('takes https and mailto addresses, and an id in that of reports', () => {
    const links = {
      imprint: 'https://example.com/imprint',
      contact: 'mailto:us@example.com',
      report: 'mailto:us@example.com?subject=Item%20{id}',
    };
    expect(pageFields.PAGE_LINKS.parse(JSON.stringify(links))).toEqual(links);
  });

  it.each([
    ['https://example.com', 'must be a JSON object, such as {"imprint":"https://example.com/imprint"}'],
    ['["https://example.com"]', 'must be a JSON object, such as {"imprint":"https://example.com/imprint"}'],
    ['{"blog":"https://example.com"}', '"blog" is none of imprint, privacy, terms, contact, report'],
    ['{"terms":"http://example.com"}', 'terms must be an https or mailto address'],
    ['{"terms":"javascript:alert(1)"}', 'terms must be an https or mailto address'],
    ['{"terms":"/terms"}', 'terms must be an https or mailto address'],
    ['{"contact":"mailto:nobody"}', 'contact must be an https or mailto address'],
    ['{"report":7}', 'report must be an https or mailto address'],
  ])('%s is refused with what would be right', (value, message) => {
    expect(pageFields.PAGE_LINKS.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

describe('PAGE_LOGO', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logo-'));
  const path = join(folder, 'logo');
  const read = (content: string | Buffer) => {
    writeFileSync(path, content);
    return readLogo(path);
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['image/webp', 'RIFF....WEBPVP8 '],
    ['image/svg+xml; charset=utf-8', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['image/svg+xml; charset=utf-8', '\ufeff<?xml version="1.0"?>\n<!-- drawn -->\n<svg/>'],
  ])('is served as %s by its content, whatever its name is', (type, content) => {
    expect(read(content)?.headers['Content-Type']).toBe(type);
  });

  it.each([
    ['GIF89a', 'is none of SVG, PNG, JPEG and WebP'],
    ['', 'is none of SVG, PNG, JPEG and WebP'],
    ['<html><svg></svg></html>', 'is none of SVG, PNG, JPEG and WebP'],
    ['<svg>'.padEnd(102_401), 'has 102401 bytes; the maximum is 102400'],
  ])('is refused with what would be right: %.20s', (content, problem) => {
    expect(() => read(content)).toThrow(`PAGE_LOGO: the file ${path} ${problem}`);
  });

  it('that does not exist is named', () => {
    expect(() => readLogo(join(folder, 'none.svg'))).toThrow(`PAGE_LOGO: the file ${join(folder, 'none.svg')} cannot be read`);
  });
});
