import { hash } from 'node:crypto';
import type { Query } from '../session.ts';
import { totalIn, type FoundPage } from './read-page.ts';
import { all, between, keysOf } from './sections.ts';
import { sortValuesOf } from './sort-values.ts';

/**
 * The place of an item in the default order. `createdAt` never changes, so an item that stays in a list keeps its place.
 * `required`: how many words of the prompt the list by `closest` requires, if more than by `most`.
 */
export type Place = { createdAtMs: number; contentId: number; required?: number | undefined };

const PLACE = /^(-?\d{1,15})\.(\d{1,15})(?:\.(\d{1,4}))?\.[0-9a-f]{8}$/;

/** @returns text with a checksum, so that one that was cut or changed is refused */
export function formatPlace({ createdAtMs, contentId, required }: Place): string {
  const text = [createdAtMs, contentId, ...(required === undefined ? [] : [required])].join('.');
  return `${text}.${hash('sha256', `after ${text}`).slice(0, 8)}`;
}

/** @returns undefined unless the text is one of `formatPlace` */
export function parsePlace(text: string): Place | undefined {
  const [, createdAtMs, contentId, required] = PLACE.exec(text) ?? [];
  const place = { createdAtMs: Number(createdAtMs), contentId: Number(contentId), ...(required && { required: Number(required) }) };
  return formatPlace(place) === text ? place : undefined;
}

/** @returns the query for the items behind a place, whether or not the item of this place still exists */
export function behind(query: Query, sort: Parameters<typeof keysOf>[0], { createdAtMs, contentId }: Place): Query {
  return all([query, between(query, keysOf(sort), { start: { values: [createdAtMs, contentId], past: true } })]);
}

/** @returns the place of the last item of a page in the default order; undefined if no item follows */
export function lastPlace({ response, reversed, total = totalIn(response) }: FoundPage, end: number): Place | undefined {
  if (total <= end) return undefined;
  return sortValuesOf(response, reversed ? 'first' : 'last');
}
