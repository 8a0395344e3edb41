import { readFile } from 'node:fs/promises';
import type { Titled } from './known-items.ts';
import type { Grades } from './measures.ts';

/** The prompts for the demo collection, by kind. Items are identified by their names. */
type PromptFile = Record<string, FilePrompt[]>;

type FilePrompt = {
  prompt: string;
  /** Exactly what a person wants. */
  best?: string[];
  /** Also relevant. */
  also?: string[];
  /** All items of this creator are what a person wants. */
  creator?: string;
  /** All items with this tag are what a person wants. */
  tag?: string;
};

export type DemoPrompt = { kind: string; prompt: string; grades: Grades };

export type DemoItem = {
  name: string;
  description: string;
  tags: string[];
  creator: string;
  daysAgo: number;
  downloads: number;
  ratings: { sum: number; count: number };
};

const BEST = 2;
const ALSO = 1;

/** @throws when a prompt names an item, a tag or a creator that the demo collection does not have */
export async function readDemoPrompts(): Promise<DemoPrompt[]> {
  const items = await readDemoItems();
  const kinds = await readJson<PromptFile>('./prompts.json');
  return Object.entries(kinds).flatMap(([kind, prompts]) =>
    prompts.map((judged) => ({ kind, prompt: judged.prompt, grades: gradesOf(judged, items) })),
  );
}

/** The demo items, identified by their names. */
export async function readDemoDocuments(): Promise<Titled[]> {
  const items = await readDemoItems();
  return items.map(({ name, description, tags }) => ({ id: name, title: name, text: [description, ...tags].join(' ') }));
}

export async function readDemoItems(): Promise<DemoItem[]> {
  const { items } = await readJson<{ items: DemoItem[] }>('../../services/api/demo/collection.json');
  return items;
}

function gradesOf({ prompt, best = [], also = [], creator, tag }: FilePrompt, items: DemoItem[]): Grades {
  const shared = items.filter((item) => item.creator === creator || item.tags.some((other) => other === tag));
  const named = [...best, ...also];
  const unknown = named.filter((name) => !items.some((item) => item.name === name));
  if (unknown.length > 0) throw new Error(`the judgments of "${prompt}" name items that do not exist: ${unknown.join(', ')}`);
  if (shared.length + best.length === 0) throw new Error(`the judgments of "${prompt}" contain no item that a person wants`);
  return new Map([
    ...also.map((name) => [name, ALSO] as const),
    ...[...best, ...shared.map(({ name }) => name)].map((name) => [name, BEST] as const),
  ]);
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8')) as T;
}
