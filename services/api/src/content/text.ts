import { z } from 'zod';

/** The length in Unicode code points, which is how every limit of ours counts characters. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Text that PostgreSQL and Elasticsearch store exactly as it was sent: no U+0000, no unpaired surrogate. */
export function storableText({ min, max }: { min: number; max: number }) {
  return z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
    .superRefine((value, ctx) => {
      const complaint = complaintAbout(value, min, max);
      if (complaint) ctx.addIssue({ code: 'custom', message: complaint });
    })
    .meta({ minLength: min, maxLength: max });
}

function complaintAbout(value: string, min: number, max: number): string | undefined {
  // A string has at least half as many code points as UTF-16 units: most strings need not be counted.
  const length = value.length > max ? characters(value) : value.length;
  if (length > max) return `has ${length} characters; at most ${max} are possible`;
  if (length < min) return `must have at least ${min} character${min === 1 ? '' : 's'}`;
  if (!value.isWellFormed()) return 'has an unpaired surrogate; it must be valid Unicode';
  if (value.includes('\0')) return "has the character U+0000, which can't be stored";
  return undefined;
}
