import { constraintOf } from '@ugc/shared/postgres/errors';
import { badRequest, type ErrorDetail, type Problem } from '../problems/problem.ts';
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
  { errorsOf: (changes: ItemChange[], limits: ItemLimits) => ErrorDetail[][] } | { constraint: string; error: ErrorDetail };

/** They hold for every way in: the functions that store items take only `Checked` ones. */
export const ITEM_RULES: Record<string, ItemRule> = {
  searchedLength: { errorsOf: (changes, limits) => changes.map((change) => searchedLengthErrors(change, limits)) },
  animation: { errorsOf: (changes, limits) => changes.map((change) => animationErrors(change, limits)) },
  size: { errorsOf: (changes, limits) => changes.map((change) => sizeErrors(change, limits)) },
};

declare const checked: unique symbol;
/** What `checkItems` or `checkItem` has found to keep the rules. */
export type Checked<Edit> = Edit & { readonly [checked]: true };

/** `edit` has the fields that change; those of a new item are all that it has. */
type Asked<Edit> = Omit<ItemChange, 'after'> & { edit: Edit };
export type Answer<Edit> = { edit: Checked<Edit> } | { errors: ErrorDetail[] };

/** @returns the answer to each, in their order */
export function checkItems<Edit extends object>(asked: Asked<Edit>[], limits: ItemLimits): Answer<Edit>[] {
  const changes = asked.map(({ edit, ...change }): ItemChange => ({ ...change, after: { ...change.before, ...edit } }));
  const found = Object.values(ITEM_RULES).map((rule) => ('errorsOf' in rule ? rule.errorsOf(changes, limits) : []));
  return asked.map(({ edit }, at) => {
    const errors = found.flatMap((ofRule) => ofRule[at] ?? []);
    return errors.length > 0 ? { errors } : { edit: edit as Checked<Edit> };
  });
}

/** @throws Problem 400 */
export function checkItem<Edit extends object>(asked: Asked<Edit>, limits: ItemLimits): Checked<Edit> {
  const [answer] = checkItems([asked], limits);
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
