import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Titled } from './known-items.ts';
import type { Grades } from './measures.ts';

export type JudgedPrompt = { id: string; text: string; grades: Grades };

export type JudgedCollection = {
  documents: Titled[];
  prompts: JudgedPrompt[];
  /** The same prompts with typing errors; empty if there is no `queries-typo.jsonl`. */
  misspelt: JudgedPrompt[];
};

type Line = { id: number | string; title?: string; text?: string };

/**
 * Reads `docs.jsonl` {id, title, text}, `queries.jsonl` {id, text}, `qrels.tsv` (query, document, grade) and, if it is
 * present, `queries-typo.jsonl`. As with `trec_eval -c`, prompts without a relevant document are omitted.
 */
export async function readJudgedCollection(folder: string): Promise<JudgedCollection> {
  const grades = await readGrades(join(folder, 'qrels.tsv'));
  const documents = await readLines(join(folder, 'docs.jsonl'));
  const promptsOf = async (file: string): Promise<JudgedPrompt[]> => {
    const lines = await readLines(join(folder, file));
    return lines.flatMap(({ id, text = '' }) =>
      grades.has(String(id)) ? [{ id: String(id), text, grades: grades.get(String(id))! }] : [],
    );
  };
  return {
    documents: documents.map(({ id, title = '', text = '' }) => ({ id: String(id), title, text })),
    prompts: await promptsOf('queries.jsonl'),
    misspelt: existsSync(join(folder, 'queries-typo.jsonl')) ? await promptsOf('queries-typo.jsonl') : [],
  };
}

async function readLines(file: string): Promise<Line[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as Line);
}

/** @returns the grades of the prompts that have a relevant document, by prompt */
async function readGrades(file: string): Promise<Map<string, Grades>> {
  const rows = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const relevant = rows.filter(([, , grade]) => Number(grade) > 0);
  const byPrompt = Map.groupBy(relevant, ([prompt = '']) => prompt);
  return new Map(
    [...byPrompt].map(([prompt, rowsOfPrompt]) => [
      prompt,
      new Map(rowsOfPrompt.map(([, document = '', grade]) => [document, Number(grade)])),
    ]),
  );
}
