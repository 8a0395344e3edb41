import type { Limits } from '../env.ts';
import { badRequest, type Fault } from '../problem.ts';
import { characters } from './text.ts';

export const SORTABLE = [
  'relevance',
  'contentId',
  'creatorId',
  'creatorName',
  'name',
  'version',
  'downloadsCount',
  'latestDownloadsCount',
  'avgRating',
  'createdAt',
  'updatedAt',
] as const;
export type SortField = (typeof SORTABLE)[number];
export type SortKey = { field: SortField; direction: 'asc' | 'desc' };
export type ListParameters = { prompt: string; page: number; size: number; sort: SortKey[] };

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE = 2_147_483_647;
export const MAX_SORT_KEYS = 4;
const DEFAULT_SORT: SortKey[] = [{ field: 'createdAt', direction: 'desc' }];

/**
 * Reads the parameters of a list, reporting every problem at once. Blank counts as absent; unknown parameters are ignored.
 * @param queryString as received, without the question mark
 * @throws Problem 400
 */
export function parseListParameters(queryString: string, limits: Limits): ListParameters {
  const faults: Fault[] = [];
  const refuse = (parameter: string, detail: string): void => void faults.push({ parameter, detail });
  const query = decodeQuery(queryString, refuse);
  const parameters = {
    prompt: parsePromptParameter(single(query, 'prompt', refuse), limits.PROMPT_MAX_CHARACTERS, refuse),
    page: parseInteger(single(query, 'page', refuse), { name: 'page', min: 0, max: MAX_PAGE, fallback: 0 }, refuse),
    size: parseInteger(
      single(query, 'size', refuse),
      { name: 'size', min: 1, max: limits.PAGE_MAX_SIZE, fallback: DEFAULT_PAGE_SIZE },
      refuse,
    ),
    sort: parseSort(query.getAll('sort'), refuse),
  };
  if (faults.length > 0) throw badRequest('Some parameters are not valid.', faults);
  return parameters;
}

type Refuse = (parameter: string, detail: string) => void;

const PARAMETERS = ['prompt', 'page', 'size', 'sort'];

// URLSearchParams would replace bytes that are not UTF-8 silently, and search for something that nobody asked for.
function decodeQuery(queryString: string, refuse: Refuse): URLSearchParams {
  const damaged = queryString.split('&').filter((pair) => !isEncodedUtf8(pair));
  for (const name of new Set(damaged.flatMap((pair) => [...new URLSearchParams(pair).keys()]))) {
    if (PARAMETERS.includes(name)) refuse(name, 'is not percent-encoded UTF-8');
  }
  return new URLSearchParams(queryString);
}

function isEncodedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function single(query: URLSearchParams, name: string, refuse: Refuse): string {
  const values = query.getAll(name);
  if (values.length > 1) refuse(name, 'is given more than once');
  return values.length === 1 ? (values[0] ?? '') : '';
}

function parsePromptParameter(value: string, max: number, refuse: Refuse): string {
  if (characters(value) > max) refuse('prompt', `has more than ${max} characters`);
  if (value.includes('\0')) refuse('prompt', 'has the character U+0000');
  return value;
}

type IntegerRule = { name: string; min: number; max: number; fallback: number };

function parseInteger(value: string, { name, min, max, fallback }: IntegerRule, refuse: Refuse): number {
  if (value.trim() === '') return fallback;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  if (number >= min && number <= max) return number;
  refuse(name, `must be an integer from ${min} to ${max}`);
  return fallback;
}

function parseSort(values: string[], refuse: Refuse): SortKey[] {
  const given = values.filter((value) => value.trim() !== '');
  if (given.length > MAX_SORT_KEYS) refuse('sort', `is given more than ${MAX_SORT_KEYS} times`);
  const keys = given.map(parseSortKey);
  if (keys.some((key) => key === undefined)) {
    refuse('sort', `must be <field>, <field>,asc or <field>,desc, where <field> is one of ${SORTABLE.join(', ')}`);
  }
  return keys.length === 0 ? DEFAULT_SORT : keys.filter((key) => key !== undefined);
}

function parseSortKey(value: string): SortKey | undefined {
  const [name, direction, ...more] = value.split(',');
  const field = SORTABLE.find((sortable) => sortable === name);
  if (!field || more.length > 0) return undefined;
  const normalized = direction?.toLowerCase() ?? (field === 'relevance' ? 'desc' : 'asc');
  return normalized === 'asc' || normalized === 'desc' ? { field, direction: normalized } : undefined;
}
