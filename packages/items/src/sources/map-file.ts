import { z } from 'zod';
import { isZone, problemOfForm } from './dates.ts';
import { parseTemplate, type Template } from './template.ts';
import type { MapProblem } from './wrong-map.ts';

const text = z.string('must be a text').min(1, 'must not be empty').max(1_000, 'has more than 1,000 characters');
const oneOrMore = (each: z.ZodType<string>, max: number) =>
  z.union([each.transform((one) => [one]), z.array(each).min(1).max(max)], { error: `must be a text, or a list of at most ${max} texts` });
const decimal = z.enum(['.', ','], 'must be "." or ","');
const zone = z.string('must be a text').refine(isZone, 'must be a time zone such as Europe/Berlin');
const constant = z.union([z.string(), z.number(), z.boolean(), z.null()], { error: 'must be a text, a number, true, false or null' });
const date = oneOrMore(text, 10).check(({ value, issues }) => {
  for (const form of value) {
    const problem = problemOfForm(form);
    if (problem !== undefined) issues.push({ code: 'custom', message: `${JSON.stringify(form)} ${problem}`, input: value });
  }
});

/** How a file is read. The other names of a map are those of fields. */
export const Options = z.object({
  separator: text
    .max(1, 'must be one character, such as ";"')
    .refine((sign) => !/["\r\n]/.test(sign), 'must not be a quotation mark')
    .optional(),
  list: text.optional(),
  empty: oneOrMore(z.string(), 20).optional(),
  decimal: decimal.optional(),
  zone: zone.optional(),
});
export type Options = z.output<typeof Options>;

const Given = z.strictObject(
  {
    from: text.optional(),
    value: constant.optional(),
    file: text.optional(),
    split: oneOrMore(text, 10).optional(),
    date: date.optional(),
    zone: zone.optional(),
    decimal: decimal.optional(),
    values: z.record(z.string(), constant, 'must be an object of texts, and what each of them means').optional(),
    default: constant.optional(),
    optional: z.boolean('must be true or false').optional(),
  },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `has no property ${keys.join(', ')}; the properties are ${PROPERTIES}`
        : 'must be a column, a text with {COLUMN}, a number, true, false, or an object with from, value or file',
  },
);
const PROPERTIES = 'from, value, file, split, date, zone, decimal, values, default and optional';

/** Where a value is from, and how it is read. */
export type Entry = Omit<z.output<typeof Given>, 'from' | 'file'> & { source: EntrySource };
export type EntrySource = { column: string } | { template: Template; isFile: boolean } | { constant: string | number | boolean | null };

/** Reads one value of a map: `"title"`, `"mods/{id}"`, `1`, `{"from":"tags","split":";"}`. */
export function readEntry(given: unknown): { entry: Entry } | { problems: MapProblem[] } {
  if (typeof given === 'number' || typeof given === 'boolean') return { entry: { source: { constant: given } } };
  const parsed = Given.safeParse(typeof given === 'string' ? { from: given } : given);
  if (!parsed.success) return { problems: parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), detail: message })) };
  const { from, file, ...others } = parsed.data;
  const source = sourceOf({ from, file, value: others.value });
  return 'detail' in source ? { problems: [{ path: '', detail: source.detail }] } : { entry: { ...others, source } };
}

function sourceOf({ from, file, value }: Pick<z.output<typeof Given>, 'from' | 'file' | 'value'>): EntrySource | { detail: string } {
  if ([from, value, file].filter((each) => each !== undefined).length !== 1) return { detail: 'must have one of from, value and file' };
  if (value !== undefined) return { constant: value };
  const text = file ?? from ?? '';
  if (file === undefined && !/[{}]/.test(text)) return { column: text.trim() };
  const parsed = parseTemplate(text);
  if ('detail' in parsed) return parsed;
  return file === undefined ? textSource(parsed.template) : { ...parsed, isFile: true };
}

/** `{title}` alone is the column `title`. */
function textSource(template: Template): EntrySource {
  const [first, ...others] = template;
  return first && 'column' in first && others.length === 0 ? first : { template, isFile: false };
}

/** @returns the columns that an entry names */
export function columnsOf({ source }: Entry): string[] {
  if ('column' in source) return [source.column];
  return 'template' in source ? source.template.flatMap((part) => ('column' in part ? [part.column] : [])) : [];
}
