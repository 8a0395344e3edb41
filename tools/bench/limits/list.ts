import { readFileSync } from 'node:fs';
import { Agent, createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** The simplest program that answers lists: the requests that the API sends to Elasticsearch, and the same pages. */

type Search = { path: string; body: string };
type Document = Record<string, unknown> & { createdAt: string; updatedAt: string };
type Found = { hits: { total: { value: number }; hits: { _source: Document }[] } };

const searches = JSON.parse(readFileSync(process.env['RECORDED_SEARCHES'] ?? '', 'utf8')) as Record<string, Search[]>;
const agent = new Agent({ keepAlive: true });
const SORTED = { empty: false, sorted: true, unsorted: false };

const server = createServer((request, response) => {
  const query = request.url?.split('?')[1] ?? '';
  const parameters = new URLSearchParams(query);
  const [number, size] = [Number(parameters.get('page')), Number(parameters.get('size'))];
  void Promise.all((searches[query] ?? []).map(search)).then((found) => {
    // The other requests check words of the prompt.
    const page = Buffer.from(JSON.stringify(toPage(found.find((each) => 'hits' in each) as Found, number, size)));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');

function search({ path, body }: Search): Promise<object> {
  const headers = {
    'content-type': path.includes('_msearch') ? 'application/x-ndjson' : 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const url = new URL(path, process.env['ELASTICSEARCH_URL']);
  return new Promise((resolve) => {
    send(url, { agent, method: 'POST', headers }, (found) => {
      void buffer(found).then((json) => resolve(JSON.parse(json.toString()) as object));
    }).end(body);
  });
}

function toPage({ hits }: Found, number: number, size: number): object {
  const content = hits.hits.map(({ _source: source }) => toItem(source));
  const totalPages = Math.ceil(hits.total.value / size);
  return {
    content,
    pageable: { pageNumber: number, pageSize: size, sort: SORTED, offset: number * size, paged: true, unpaged: false },
    last: number + 1 >= totalPages,
    first: number === 0,
    totalElements: hits.total.value,
    totalPages,
    size,
    number,
    sort: SORTED,
    numberOfElements: content.length,
    empty: content.length === 0,
  };
}

function toItem(document: Document): object {
  return {
    contentId: document['contentId'],
    creatorId: document['creatorId'],
    creatorName: document['creatorName'],
    data: document['data'],
    name: document['name'],
    description: document['description'],
    version: document['version'],
    downloadsCount: document['downloadsCount'],
    latestDownloadsCount: document['latestDownloadsCount'],
    avgRating: document['avgRating'],
    createdAt: document.createdAt.replace('Z', '+00:00'),
    updatedAt: document.updatedAt.replace('Z', '+00:00'),
  };
}
