import { setPriority } from 'node:os';
import { move, workerData } from 'piscina';
import { editSchema, uploadSchema } from '@ugc/items/fields/upload-schema';
import type { Limits } from './env.ts';
import { parseJson } from '@ugc/items/fields/json';
import { Problem } from '@ugc/items/problems/problem';
import { ownMemory } from './limits/threads.ts';
import { renderPage as render, type PageRequest } from './search/render-page.ts';
import { IndexMoved } from './search/response.ts';

// What the threads of `limits/threads.ts` do. An error would lose its class on the way.

const NICE = 10;
// Requests of all users have priority over large work for one of them. Only Linux sets the priority of one thread.
if (process.platform === 'linux') setPriority(NICE);

const limits = workerData as Limits;
// All other endpoints have a `maxBytes` below LARGE_BODY_BYTES.
const schemas = new Map([uploadSchema(limits), editSchema(limits)].map((schema) => [schema.meta()?.id, schema]));

export function parseBody({ bytes, schema: id }: { bytes: Uint8Array<ArrayBuffer>; schema: string }) {
  const schema = schemas.get(id);
  if (!schema) throw new Error(`there is no schema ${id}`);
  return orRefusal(() => parseJson(Buffer.from(bytes.buffer), schema));
}

/** @returns undefined for IndexMoved */
export function renderPage({ bytes, request }: { bytes: Uint8Array<ArrayBuffer>; request: PageRequest }) {
  try {
    return orRefusal(() => {
      const page = render(bytes, request);
      return page && move(ownMemory(page));
    });
  } catch (error) {
    if (error instanceof IndexMoved) return undefined;
    throw error;
  }
}

function orRefusal<T>(work: () => T) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return { refusal: { ...error, detail: error.message } };
    throw error;
  }
}
