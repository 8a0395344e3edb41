import type { ContentPage } from '@ugc/api/search/page';
import { UgcClient, type Upload } from '../../../packages/client/src/index.ts';
import type { JWTPayload } from 'jose';
import { tokenOf } from './tokens.ts';

export type ApiResponse<T = any> = { status: number; headers: Headers; body: T; text: string };

type RawRequest = {
  token?: string | undefined;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

/** Sends requests to the API. Uploads and lists are operations of the generated client, all others use its transport. */
export class Client {
  readonly baseUrl: string;
  readonly #ugc: UnparsedClient;
  #uploads = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
    this.#ugc = new UnparsedClient(baseUrl);
  }

  /** Sends any request, also one that is not valid. */
  async request(method: string, path: string, request: RawRequest = {}): Promise<ApiResponse> {
    return this.#ugc.send(method, path, request);
  }

  async get(path: string, userId = 1): Promise<ApiResponse> {
    return this.request('GET', path, { token: await tokenOf(userId) });
  }

  async post(path: string, body: unknown, userId = 1): Promise<ApiResponse> {
    return this.request('POST', path, {
      token: await tokenOf(userId),
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  }

  /** Sends JSON with a token of the user, or with these claims, and additional headers. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    user: number | JWTPayload = 1,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    return this.request(method, path, {
      token: typeof user === 'number' ? await tokenOf(user) : await tokenOf(Number(user.sub), user),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** Uploads an item. Fields that are not given have valid defaults. */
  async tryUpload(fields: Record<string, unknown> = {}, userId = 1, headers: Record<string, string> = {}): Promise<ApiResponse> {
    this.#uploads += 1;
    const body = { creatorId: userId, name: `item ${this.#uploads}`, description: '', version: 1, data: '', ...fields } as Upload;
    return this.#ugc.responseTo(this.#ugc.uploadContent({ body, headers, auth: await tokenOf(userId), ...UNPARSED }));
  }

  /** @returns the new item's id */
  async upload(fields: Record<string, unknown> = {}, userId = 1): Promise<number> {
    const response = await this.tryUpload(fields, userId);
    if (response.status !== 201) throw new Error(`the upload returned ${response.status}: ${response.text}`);
    return response.body.content_id;
  }

  async list(parameters: Record<string, string | number> = {}): Promise<ApiResponse<ContentPage>> {
    // A URL cannot contain half of a surrogate pair, which tests with random text create.
    const query = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value).toWellFormed()]));
    return this.#ugc.responseTo(this.#ugc.listContent({ query, auth: await tokenOf(1), ...UNPARSED }));
  }

  /** @returns the names of the items that match the prompt, in the order of the list */
  async search(prompt: string, parameters: Record<string, string | number> = {}): Promise<string[]> {
    const response = await this.list({ prompt, size: 100, ...parameters });
    if (response.status !== 200) throw new Error(`the search returned ${response.status}: ${response.text}`);
    return response.body.content.map((item) => item.name);
  }
}

const UNPARSED = { parseAs: 'text', throwOnError: false } as const;

/** Tests compare complete responses, also those of errors, and never want a retry. */
class UnparsedClient extends UgcClient {
  readonly #errorTexts = new WeakMap<Response, string>();

  constructor(baseUrl: string) {
    super({ baseUrl, maxRetries: 0 });
    this.client.interceptors.response.use(async (response) => {
      if (!response.ok) this.#errorTexts.set(response, await response.clone().text());
      return response;
    });
  }

  send(method: string, url: string, { token, body, headers = {} }: RawRequest): Promise<ApiResponse> {
    const { 'content-type': contentType } = headers;
    return this.responseTo(
      this.client.request({
        method: method as 'GET',
        url,
        headers: { 'Content-Type': null, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
        ...(body !== undefined && { body, bodySerializer: null }),
        // The client would omit the media type of a body that is missing.
        fetch: (input) => {
          const request = new Request(input);
          if (contentType !== undefined) request.headers.set('content-type', contentType);
          return fetch(request);
        },
        ...UNPARSED,
      }),
    );
  }

  /** @throws what `fetch` throws when there is no response */
  async responseTo(sent: Promise<{ data: unknown; error: unknown; response?: Response }>): Promise<ApiResponse> {
    const { data, error, response } = await sent;
    if (!response) throw error;
    const text = this.#errorTexts.get(response) ?? String(data);
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
  }
}
