import { ConfigurationError } from '@ugc/shared/config/env';
import { parseSynonyms, SYNONYMS_MAX_BYTES, type SynonymRule } from '@ugc/text/prompt/parse-synonyms';
import { readFileSync, statSync } from 'node:fs';

/** Reads the file of the operator once, at the start. @param path SYNONYMS_FILE @throws ConfigurationError */
export function readSynonyms(path: string | undefined): SynonymRule[] {
  if (path === undefined) return [];
  const { rules, problems } = parseSynonyms(readFile(path));
  if (problems.length > 0) throw invalid(problems);
  return rules;
}

function readFile(path: string): Buffer {
  let size: number | undefined;
  try {
    size = statSync(path).size;
    if (size <= SYNONYMS_MAX_BYTES) return readFileSync(path);
  } catch {
    throw invalid([`the file ${path} cannot be read`]);
  }
  throw invalid([`the file ${path} has ${size} bytes; the maximum is ${SYNONYMS_MAX_BYTES}`]);
}

function invalid(problems: string[]): ConfigurationError {
  return new ConfigurationError(problems.map((problem) => `SYNONYMS_FILE: ${problem}`));
}
