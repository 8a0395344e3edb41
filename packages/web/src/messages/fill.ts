import type { messages as first } from './en.ts';
import type { messages as later } from './later/en.ts';

type English = typeof first & typeof later;
export type Key = keyof English;

/** A text by the plural forms of its language. All have `other`. */
export type Forms = { [Form in Intl.LDMLPluralRule]?: string } & { other: string };
type In<T> = { [K in keyof T]: T[K] extends string ? string : Forms };
export type FirstMessages = In<typeof first>;
export type LaterMessages = In<typeof later>;
export type Messages = In<English>;

type Written<K extends Key> = English[K] extends infer T ? (T extends string ? T : T[keyof T]) : never;
type NamesIn<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Name<K extends Key> = NamesIn<Written<K>> | (English[K] extends string ? never : 'n');

/** What the placeholders of a text stand for. `n` of a text with plural forms is a number. */
export type Values<K extends Key, Value> = { [N in Name<K>]: English[K] extends string ? Value : N extends 'n' ? number : Value };

/** What follows the key: nothing for a text without placeholders. */
export type Rest<K extends Key, Value> = [Name<K>] extends [never] ? [] : [Values<K, Value>];

type Formats = { plurals: Intl.PluralRules; numbers: Intl.NumberFormat };
const made: Record<string, Formats> = {};
const formatsOf = (language: string): Formats =>
  (made[language] ??= { plurals: new Intl.PluralRules(language), numbers: new Intl.NumberFormat(language) });

/** @returns the parts of a text and, in their places, the values. Numbers are as people of the language write them. */
export function fill<Value>(language: string, text: string | Forms, values: Record<string, Value | number> = {}): (Value | string)[] {
  const { plurals, numbers } = formatsOf(language);
  const number = values['n'];
  const chosen = typeof text === 'string' ? text : (text[plurals.select(Number(number))] ?? text.other);
  return chosen.split(/\{(\w+)\}/).map((part, at) => {
    const value = at % 2 === 1 ? values[part] : part;
    return typeof value === 'number' ? numbers.format(value) : (value ?? '');
  });
}
