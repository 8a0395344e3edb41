import { createReadStream } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';

/**
 * The simplest program that indexes documents: it sends the lines of a file to `_bulk`. The documents are prepared
 * beforehand, so the limit is what Elasticsearch itself takes; to read and to build documents counts as ours.
 */

const agent = new Agent({ keepAlive: true });
const url = new URL(`${process.env['BULK_INDEX']}/_bulk?filter_path=errors`, process.env['ELASTICSEARCH_URL']);
const linesPerRequest = 2 * Number(process.env['BULK_DOCUMENTS']);
const bodies = readBodies(process.env['BULK_FILE'] ?? '');

await Promise.all(Array.from({ length: Number(process.env['BULK_CONNECTIONS']) }, sendBodies));
agent.destroy();

/** Several connections take bodies in turn. */
async function sendBodies(): Promise<void> {
  for await (const body of bodies) {
    const response = await post(body);
    if (response !== '{"errors":false}') throw new Error(response);
  }
}

async function* readBodies(file: string): AsyncGenerator<string> {
  let body: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    body.push(line, '\n');
    if (body.length < 2 * linesPerRequest) continue;
    yield body.join('');
    body = [];
  }
  if (body.length > 0) yield body.join('');
}

function post(body: string): Promise<string> {
  const headers = { 'content-type': 'application/x-ndjson', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    send(url, { agent, method: 'POST', headers }, (response) => void text(response).then(resolve, reject))
      .on('error', reject)
      .end(body);
  });
}
