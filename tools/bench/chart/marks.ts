import type { Mark } from 'vega';
import { COLOR } from './palette.ts';

/** A constant, or what is read from each datum. */
export type Value = string | number | { field: string; scale?: string } | { value: number; scale: string };

/** @param data the name of the data whose members are drawn; without it, the mark is drawn once */
export function mark(type: 'text' | 'rule' | 'rect' | 'symbol', values: Record<string, Value>, data?: string): Mark {
  const encoded = Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? value : { value }]);
  return { type, ...(data !== undefined && { from: { data } }), encode: { enter: Object.fromEntries(encoded) } };
}

/** One line of text with its middle at `y`, with a font size of 12 pixels unless `values` say otherwise. */
export function text(values: { text: Value; x: Value; y: Value } & Record<string, Value>, data?: string): Mark {
  return mark('text', { fontSize: 12, fill: COLOR.text, baseline: 'middle', ...values }, data);
}
