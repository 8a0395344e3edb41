import { readFileSync, statSync } from 'node:fs';
import { MAX_FILE_BYTES, parseSynonyms, type SynonymRule } from './parse-synonyms.ts';

/** Reads the file of the operator once, at the start. @param report is called with each problem */
export function readSynonyms(path: string, report: (problem: string) => void): SynonymRule[] {
  try {
    const { size } = statSync(path);
    if (size > MAX_FILE_BYTES) return refuse(`the file ${path} has ${size} bytes; the maximum is ${MAX_FILE_BYTES}`);
    const { rules, problems } = parseSynonyms(readFileSync(path));
    problems.forEach(report);
    return rules;
  } catch {
    return refuse(`the file ${path} cannot be read`);
  }

  function refuse(problem: string): SynonymRule[] {
    report(problem);
    return [];
  }
}
