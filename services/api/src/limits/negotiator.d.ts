/** The part of the package that is used; @types/negotiator lacks `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: { [name: string]: string | string[] | undefined } });
    /** Those of `available` that the client accepts, the best first; of equal ones, those of `preferred` come first. */
    encodings<T extends string>(available: T[], options: { preferred: T[] }): T[];
  }
}
