import type { Definitions } from '@ugc/fields/definition';
import type { Values } from '@ugc/fields/values';
import { constraintOf } from '@ugc/shared/postgres/errors';
import { badRequest, type ErrorDetail, type Problem } from '../problems/problem.ts';
import { mergeFields } from './item-fields.ts';
import { animationErrors, searchedLengthErrors, sizeErrors, type ItemLimits } from './item-limits.ts';
import type { Thumbnail } from '../pictures/thumbnail.ts';
import type { Written } from './written-fields.ts';

/**
 * An item as it is to be stored, and as it was: undefined for a new one. `picture`: one that a user sends and that is not
 * stored yet; an import brings pictures that an earlier release has accepted, and which stay valid.
 */
export type ItemChange = { before: Written | undefined; after: Written; picture?: Thumbnail | undefined };

/**
 * What must hold whenever an item is stored. A rule of items by themselves says what is wrong with each of a batch, in its
 * order, and leaves out what a change does not change. A rule that compares items is a constraint of the table `content`,
 * since no transaction sees the items that another one stores at the same time.
 */
export type ItemRule =
  | { errorsOf: (changes: ItemChange[], limits: ItemLimits, declared: Definitions) => ErrorDetail[][] }
  | { constraint: string; error: ErrorDetail };

/** They hold for every way in: the functions that store items take only `Checked` ones. */
export const ITEM_RULES: Record<string, ItemRule> = {
  searchedLength: {
    errorsOf: (changes, limits, declared) => changes.map((change) => searchedLengthErrors(change, limits, declared)),
  },
  animation: { errorsOf: (changes, limits) => changes.map((change) => animationErrors(change, limits)) },
  size: { errorsOf: (changes, limits) => changes.map((change) => sizeErrors(change, limits)) },
};

declare const checked: unique symbol;
/** What `checkItems` or `checkItem` has found to keep the rules. `fields`: all values of the item; undefined if none changes. */
export type Checked<Edit> = Omit<Edit, 'fields'> & { fields?: Values } & { readonly [checked]: true };

/** What is asked of an item: limits of the operator, and the fields that are declared. */
export type AskedRules = { limits: ItemLimits; declared: Definitions };

/** `edit` has the fields that change; those of a new item are all that it has. Its `fields` is a merge patch of declared ones. */
type Asked<Edit> = Omit<ItemChange, 'after'> & { edit: Edit & { fields?: unknown } };
export type Answer<Edit> = { edit: Checked<Edit> } | { errors: ErrorDetail[] };

/** @returns the answer to each, in their order */
export function checkItems<Edit extends object>(asked: Asked<Edit>[], { limits, declared }: AskedRules): Answer<Edit>[] {
  const merged = asked.map(({ edit, before }) => mergeFields(edit, before, declared));
  const changes = asked.map(({ before, picture }, at): ItemChange => ({ before, picture, after: { ...before, ...merged[at]?.edit } }));
  const found = Object.values(ITEM_RULES).map((rule) => ('errorsOf' in rule ? rule.errorsOf(changes, limits, declared) : []));
  return merged.map(({ edit, errors: ofFields }, at) => {
    const errors = [...ofFields, ...found.flatMap((ofRule) => ofRule[at] ?? [])];
    return errors.length > 0 ? { errors } : { edit: edit as Checked<Edit> };
  });
}

/** @throws Problem 400 */
export function checkItem<Edit extends object>(asked: Asked<Edit>, rules: AskedRules): Checked<Edit> {
  const [answer] = checkItems([asked], rules);
  if (answer && 'edit' in answer) return answer.edit;
  throw invalidItem(answer?.errors ?? []);
}

/** @returns what is wrong, if a statement failed because of the constraint of a rule */
export function brokenRule(error: unknown): ErrorDetail | undefined {
  const constraint = constraintOf(error);
  const rule = Object.values(ITEM_RULES).find((each) => 'constraint' in each && each.constraint === constraint);
  return rule && 'constraint' in rule ? rule.error : undefined;
}

/** Passes an error of a statement on, as a 400 if it is that of a rule. @throws Problem 400 · the error */
export function throwIfBroken(error: unknown): never {
  const broken = brokenRule(error);
  throw broken ? invalidItem([broken]) : error;
}

function invalidItem(errors: ErrorDetail[]): Problem {
  return badRequest('invalid-body', 'The body is not valid.', errors);
}
