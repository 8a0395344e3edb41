import { gif, gifExtension, pngOfBytes } from '../../test/support/database/images.ts';
import { tokenOf } from '../../test/support/http/tokens.ts';
import { COSTLY_CHARACTERS, longestDescription } from './costly-characters.ts';

export type WorstRequest = { what: string; method: string; path: string; headers: Record<string, string>; body?: string };

/** As large as an item may be in a list. */
const DATA = '😀'.repeat(100_000);
const BODY_BYTES = 2_097_152;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The most expensive request of each kind within the default limits. */
export async function worstRequests(userId: number, largeItemId: number): Promise<WorstRequest[]> {
  const headers = { authorization: `Bearer ${await tokenOf(userId)}` };
  const get = (what: string, path: string, more = {}): WorstRequest => ({ what, method: 'GET', path, headers: { ...headers, ...more } });
  const send = (what: string, method: string, path: string, body: string): WorstRequest => {
    return { what, method, path, headers: { ...headers, ...JSON_TYPE }, body };
  };
  const item = `/api/content/${largeItemId}`;
  const upload = { creatorId: userId, name: 'worst', description: '', version: 1, data: '' };
  const list = (parameters: Record<string, string>): string => `/api/content?${new URLSearchParams(parameters)}`;
  const words = Array.from({ length: 111 }, (_, n) => `word${n.toString(36)}sx`).join(' ');
  return [
    send(
      'upload, largest item',
      'POST',
      '/content',
      JSON.stringify({ ...upload, data: DATA, thumbnail: pngOfBytes(524_288).toString('base64') }),
    ),
    send('upload, 9,000 wrong tags', 'POST', '/content', `{"tags":[${'1,'.repeat(9_000)}1]}`),
    send('upload, unknown fields', 'POST', '/content', `{${unknownFields()}"x":1}`),
    send('upload, deepest nesting', 'POST', '/content', '['.repeat(10_000) + ']'.repeat(10_000)),
    send('upload, quotes', 'POST', '/content', `"${'\\"'.repeat(BODY_BYTES / 2 - 1)}"`),
    send('upload, empty texts', 'POST', '/content', '""'.repeat(BODY_BYTES / 2)),
    send('upload, picture of most parts', 'POST', '/content', JSON.stringify({ ...upload, thumbnail: gifOfParts().toString('base64') })),
    send('upload, long file name that no file has', 'POST', '/content', JSON.stringify({ ...upload, fileName: `${'a'.repeat(65_000)}/` })),
    send('upload, JSON that is cut off', 'POST', '/content', `"${'x'.repeat(BODY_BYTES - 2)}`),
    send('edit, largest', 'PATCH', item, JSON.stringify({ data: DATA, description: 'é'.repeat(10_000) })),
    send('rating', 'PUT', `${item}/rating`, '{"score":3}'),
    { ...get('download', `${item}/downloads`), method: 'POST' },
    get('get one, largest', item),
    get('get one, thousands of entity tags', item, { 'if-none-match': '"0.0",'.repeat(2_000) }),
    get('thumbnail, largest', `${item}/thumbnail`),
    get('index status', `${item}/index-status`),
    get('list, largest page', list({ size: '30', creatorId: '2' })),
    get('list, 200 items', list({ size: '200', prompt: 'words of item', sort: 'relevance' })),
    get('list, deepest page', list({ page: '9999', size: '10', sort: 'name' })),
    get('list, four sort keys', `${list({ prompt: 'words' })}&sort=name&sort=creatorName&sort=avgRating&sort=relevance`),
    get('list, prompt of 111 words', list({ prompt: words, sort: 'relevance' })),
    get('list, prompt of 500 letters', list({ prompt: 'abcdefghij '.split('').join(' ').repeat(45).slice(0, 999), sort: 'relevance' })),
    get('list, prompt of misspelt long words', list({ prompt: 'wprds ietm smoe taags wodrs imet semo '.repeat(26).slice(0, 999) })),
    get('list, prompt of quoted words', list({ prompt: '"words of item" '.repeat(62) })),
    get('list, prompt of excluded words', list({ prompt: '-words -item -some '.repeat(52) })),
    get('list, prompt of a minus, numbers and signs', list({ prompt: `-${'1$ab$'.repeat(198)}1++` })),
    get('list, unfinished prompt of two letters', list({ prompt: 'wo', sort: 'relevance' })),
    get('list, thousands of parameters', `/api/content?${'tags=a&'.repeat(2_200)}`),
    get('list, parameters that are not UTF-8', `/api/content?${'%&'.repeat(7_500)}`),
    ...Object.entries(COSTLY_CHARACTERS).flatMap(([form, character]) => [
      send(
        `upload, characters with ${form}`,
        'POST',
        '/content',
        JSON.stringify({ ...upload, description: longestDescription(character) }),
      ),
      get(`list, prompt of characters with ${form}`, list({ prompt: character.repeat(1_000 / character.length), sort: 'relevance' })),
      get(`suggestions for characters with ${form}`, `/api/content/suggest?${new URLSearchParams({ prompt: character.repeat(500) })}`),
    ]),
    get('list, marks in the longest searched forms', list({ tags: 'longest', prompt: 'marked', highlight: 'true', size: '25' })),
    get('OpenAPI document', '/openapi.json'),
    { ...get('token of 15 KB', item), headers: { authorization: `Bearer ${await tokenOf(userId, { filler: 'x'.repeat(11_000) })}` } },
  ];
}

function unknownFields(): string {
  return Array.from({ length: 9_990 }, (_, n) => `"${String(n).repeat(50)}":1,`).join('');
}

/** Just below the limit of parts, of which every second one is removed. */
function gifOfParts(): Buffer {
  return gif({ extensions: Array.from({ length: 1_990 }, () => [gifExtension(0xf9), gifExtension(0xfe)]).flat() });
}
