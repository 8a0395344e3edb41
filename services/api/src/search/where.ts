import { conditionQuery } from '@ugc/fields/condition-queries';
import type { Definitions } from '@ugc/fields/definition';
import { readConditions, type Conditions, type Where } from '@ugc/fields/read-conditions';
import { storableText } from '@ugc/items/fields/text';
import { coded } from '@ugc/items/problems/error-codes';
import { badRequest, type ErrorDetail } from '@ugc/items/problems/problem';
import { z } from 'zod';
import { repeatable } from '../http/query-parameters.ts';
import type { Query } from './response.ts';

/** What a request knows of the declared fields: none by default, so that lists that name none do not depend on PostgreSQL. */
export type Declared = { declared?: Definitions | undefined };

/** The conditions of a request, as they are given. */
export type FieldFilters = { [Name in Where]?: string[] | undefined };
const FIELD_FILTERS: Where[] = ['where', 'whereAll', 'whereNot'];
/** All three together have at most as many: a person can choose no more, and the limit bounds the time of a search. */
const MAX_CONDITIONS = 32;
/** The longest path, and two ends of a range. */
const MAX_CHARACTERS = 300;

export function conditionsSchema(description: string) {
  const together = `At most ${MAX_CONDITIONS} of \`where\`, \`whereAll\` and \`whereNot\` together.`;
  return repeatable(z.array(storableText({ min: 1, max: MAX_CHARACTERS })).optional(), { max: MAX_CONDITIONS }).meta({
    description: `${description} Each is the name of a declared field, a colon and a value. ${together}`,
    example: ['licence:MIT', 'players:>=4'],
  });
}

export function hasConditions(filters: FieldFilters): boolean {
  return FIELD_FILTERS.some((name) => filters[name] !== undefined);
}

/** @returns what is wrong with the conditions, and what would be right */
export function checkConditions(filters: FieldFilters, declared: Definitions): ErrorDetail[] {
  const given = FIELD_FILTERS.map((parameter) => ({ parameter, texts: filters[parameter] ?? [] }));
  const count = given.reduce((sum, { texts }) => sum + texts.length, 0);
  if (count <= MAX_CONDITIONS) return given.flatMap(({ parameter, texts }) => errorsIn(parameter, texts, declared));
  const parameter = given.find(({ texts }) => texts.length > 0)?.parameter ?? 'where';
  const detail = `must be given at most ${MAX_CONDITIONS} times together with the other conditions on declared fields, not ${count} times`;
  return [{ parameter, detail, ...coded('too-many', { max: MAX_CONDITIONS, is: count }) }];
}

const SHOWN_CHARACTERS = 100;

function errorsIn(parameter: Where, texts: string[], declared: Definitions): ErrorDetail[] {
  const read = readConditions(texts, declared, parameter);
  if (!('errors' in read)) return [];
  const named = (condition: string): string => JSON.stringify(condition.slice(0, SHOWN_CHARACTERS));
  return read.errors.map(({ condition, detail }) => ({ parameter, detail: `${named(condition)}: ${detail}` }));
}

/** @throws Problem 400 unless `checkConditions` accepts them */
export function conditionsOf(parameter: Where, texts: string[] = [], declared: Definitions): Conditions[] {
  const read = readConditions(texts, declared, parameter);
  if ('conditions' in read) return read.conditions;
  throw badRequest('invalid-parameters', 'Some parameters are not valid.', errorsIn(parameter, texts, declared));
}

/** @param ignored the field, or the part of a group, whose own conditions are left out */
export function conditionsQuery(parameter: Where, texts: string[], declared: Definitions, ignored?: string): Query {
  const conditions = conditionsOf(parameter, texts, declared).flatMap((each) => (ignored === undefined ? each : without(each, ignored)));
  return { bool: { filter: conditions.map((each) => conditionQuery(parameter, each)) } };
}

function without(conditions: Conditions, ignored: string): Conditions[] {
  if (!isAsked(conditions, ignored)) return [conditions];
  const parts = new Map([...conditions.parts].filter(([part]) => part !== partOf(ignored)));
  return parts.size === 0 ? [] : [{ ...conditions, parts }];
}

/** Whether there are conditions on the field, or on the part of a group, itself. */
export function isAsked({ field, parts }: Conditions, path: string): boolean {
  return field === path.split('.')[0] && parts.has(partOf(path));
}

function partOf(path: string): string {
  return path.split('.')[1] ?? '';
}
