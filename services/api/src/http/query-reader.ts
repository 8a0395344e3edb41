import { badRequest, type ErrorDetail } from './problem.ts';
import { characters } from '../content/text.ts';

type Range = { min: number; max: number };
/** A value, and the text that it was decoded from. */
type Given = { value: string; encoded: string };

/**
 * Reads the parameters of a query string one by one and reports everything that is wrong with them at once. Blank counts as absent;
 * parameters that nobody asks for are ignored.
 */
export class QueryReader {
  readonly #given = new Map<string, Given[]>();
  readonly #faults: ErrorDetail[] = [];

  /** @param queryString as received, without the question mark */
  constructor(queryString: string) {
    for (const encoded of queryString.split('&')) {
      for (const [name, value] of new URLSearchParams(encoded)) {
        const given = this.#given.get(name);
        if (given) given.push({ value, encoded });
        else this.#given.set(name, [{ value, encoded }]);
      }
    }
  }

  refuse(parameter: string, detail: string): void {
    if (!this.#faults.some((fault) => 'parameter' in fault && fault.parameter === parameter)) this.#faults.push({ parameter, detail });
  }

  /** The values of a parameter that may be given `max` times, without blank ones. Of one that is given more often, none. */
  all(name: string, { max }: { max: number }): string[] {
    const given = this.#given.get(name) ?? [];
    const values = given.map(({ value }) => value).filter((value) => value.trim() !== '');
    if (values.length > max) {
      this.refuse(name, `is given more than ${max} times`);
      return [];
    }
    // The decoder replaces bytes that are not UTF-8 silently: something would be searched that nobody asked for.
    if (!given.every(({ encoded }) => isEncodedUtf8(encoded))) this.refuse(name, 'is not percent-encoded UTF-8');
    return values;
  }

  text(name: string, { max }: { max: number }): string {
    const value = this.#single(name) ?? '';
    this.checkText(name, value, { max });
    return value;
  }

  checkText(name: string, value: string, { max }: { max: number }): void {
    if (characters(value) > max) this.refuse(name, `has more than ${max} characters`);
    if (value.includes('\0')) this.refuse(name, 'has the character U+0000');
  }

  integer(name: string, { min, max }: Range): number | undefined {
    return this.#number(name, /^\d{1,16}$/, { min, max }, 'an integer');
  }

  decimal(name: string, { min, max }: Range): number | undefined {
    return this.#number(name, /^\d{1,16}(\.\d{1,30})?$/, { min, max }, 'a number');
  }

  /** @throws Problem 400 */
  finish(): void {
    if (this.#faults.length > 0) throw badRequest('Some parameters are not valid.', this.#faults);
  }

  #single(name: string): string | undefined {
    if ((this.#given.get(name)?.length ?? 0) > 1) {
      this.refuse(name, 'is given more than once');
      return undefined;
    }
    return this.all(name, { max: 1 })[0];
  }

  #number(name: string, pattern: RegExp, { min, max }: Range, kind: string): number | undefined {
    const value = this.#single(name);
    if (value === undefined) return undefined;
    const number = pattern.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    this.refuse(name, `must be ${kind} from ${min} to ${max}`);
    return undefined;
  }
}

function isEncodedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
