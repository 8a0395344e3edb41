import { z } from 'zod';

/** The length in Unicode code points, which is how every limit of ours counts characters. */
export function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

/** As JSON Schema says it. It has no words for unpaired surrogates. */
export const STORABLE = '^[^\\u0000]*$';
const VISIBLE = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** Text that PostgreSQL and Elasticsearch store exactly as it was sent: no U+0000, no unpaired surrogate. */
export function storableText({ min, max }: { min: number; max: number }) {
  return z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
    .superRefine((value, ctx) => {
      for (const message of complaintsAbout(value, min, max)) ctx.addIssue({ code: 'custom', message });
    })
    .meta({ minLength: min, maxLength: max, pattern: STORABLE });
}

/** Storable text that does not consist of blanks only. */
export function visibleText({ max }: { max: number }) {
  return storableText({ min: 1, max })
    .refine((value) => value === '' || value.trim() !== '', 'must not consist of blanks only')
    .meta({ minLength: 1, maxLength: max, pattern: VISIBLE });
}

function complaintsAbout(value: string, min: number, max: number): string[] {
  // A code point has at most two UTF-16 units, so this string is too long; the rest of it is not examined.
  if (value.length > 2 * max) return [`has more than ${max} characters`];
  // There are never more code points than UTF-16 units: most strings need not be counted.
  const length = value.length > max ? characters(value) : value.length;
  const complaints: [boolean, string][] = [
    [length > max, `has ${length} characters; at most ${max} are possible`],
    [length < min, `must have at least ${min} character${min === 1 ? '' : 's'}`],
    [!value.isWellFormed(), 'has an unpaired surrogate; it must be valid Unicode'],
    [value.includes('\0'), "has the character U+0000, which can't be stored"],
  ];
  return complaints.filter(([applies]) => applies).map(([, complaint]) => complaint);
}
