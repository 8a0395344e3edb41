import { z } from 'zod';
import { accentStyles } from './accent.ts';

/** The foot of the page has them in this order. */
const LINKS = ['imprint', 'privacy', 'terms', 'contact', 'report'] as const;
export type PageLinks = Partial<Record<(typeof LINKS)[number], string>>;

const ABOUT_MAX_CHARACTERS = 300;
/** Stands for the id of the item that is reported. */
const ITEM_ID = '{id}';

const optional = <Schema extends z.ZodType>(schema: Schema, description: string) => schema.optional().describe(description);

const links = z.string().transform((text, { addIssue }): PageLinks => {
  const given = toObject(text);
  const problem = given ? problemOfLinks(given) : `must be a JSON object, such as {"imprint":"https://example.com/imprint"}`;
  if (problem !== undefined) addIssue({ code: 'custom', message: problem });
  return given as PageLinks;
});

const accent = z
  .string()
  .regex(/^#[\da-f]{6}$/i, 'must be a colour such as #0b6e4f')
  .superRefine((colour, { addIssue }) => {
    const made = /^#[\da-f]{6}$/i.test(colour) ? accentStyles(colour) : {};
    if ('darker' in made)
      addIssue({ code: 'custom', message: `is too light: white text on it could not be read; ${made.darker} would do` });
  });

/** What an operator makes the web page their own with. */
export const pageFields = {
  PAGE_NAME: z
    .string()
    .regex(/^[^\p{C}]{1,60}$/u, 'must have 1 to 60 characters, and no control characters')
    .default('Collection')
    .describe('name of the service for people: the heading and the title of the web page and of /docs'),
  PAGE_ABOUT: optional(
    z
      .string()
      .regex(
        new RegExp(`^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]{1,${ABOUT_MAX_CHARACTERS}}$`, 'u'),
        `must have 1 to ${ABOUT_MAX_CHARACTERS} characters in one line, and no control characters`,
      ),
    `what this place is, for people who see the web page for the first time, at most ${ABOUT_MAX_CHARACTERS} characters`,
  ),
  PAGE_LINKS: optional(
    links,
    `links in the foot of the web page: a JSON object with https or mailto addresses for some of \`${LINKS.join('`, `')}\`; ` +
      `\`report\` is a button of each item, whose id takes the place of \`${ITEM_ID}\``,
  ),
  PAGE_LOGO: optional(
    z.string(),
    'file with the logo of the web page: SVG, PNG, JPEG or WebP, at most 100 KiB; it is read at the start only',
  ),
  PAGE_ACCENT: optional(
    accent,
    'colour of buttons and links of the web page, such as `#0b6e4f`; one that white text cannot be read on is refused',
  ),
};

function toObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function problemOfLinks(given: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(given).find((name) => !LINKS.some((known) => known === name));
  if (unknown !== undefined) return `"${unknown.slice(0, 100)}" is none of ${LINKS.join(', ')}`;
  const invalid = Object.entries(given).find(([, address]) => !isAddress(address));
  return invalid && `${invalid[0]} must be an https or mailto address`;
}

function isAddress(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value.replaceAll(ITEM_ID, '1')) : null;
  return url?.protocol === 'mailto:' ? url.pathname.includes('@') : url?.protocol === 'https:';
}
