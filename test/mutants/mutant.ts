/** A one-line change to the service that the named test file must notice. */
export type Mutant = { file: string; from: string; to: string; why: string; test: string };
