/** A one-line change to the service that the given test file must detect. */
export type Mutant = { file: string; from: string; to: string; why: string; test: string };
