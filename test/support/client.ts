import type { ContentPage } from '@ugc/api/search/page';
import { tokenOf } from './tokens.ts';

export type ApiResponse<T = any> = { status: number; headers: Headers; body: T; text: string };

/** Sends requests to the API. */
export class Client {
  readonly baseUrl: string;
  #uploads = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  async request(
    method: string,
    path: string,
    {
      token,
      body,
      headers = {},
    }: { token?: string | undefined; body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> } = {},
  ): Promise<ApiResponse> {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { ...authorization, ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
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

  /** Sends JSON with a token of the user and additional headers. */
  async send(method: string, path: string, body?: unknown, userId = 1, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.request(method, path, {
      token: await tokenOf(userId),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** Uploads an item. Fields that are not given have valid defaults. */
  async tryUpload(fields: Record<string, unknown> = {}, userId = 1, headers: Record<string, string> = {}): Promise<ApiResponse> {
    this.#uploads += 1;
    const upload = { creatorId: userId, name: `item ${this.#uploads}`, description: '', version: 1, data: '', ...fields };
    return this.send('POST', '/content', upload, userId, headers);
  }

  /** @returns the new item's id */
  async upload(fields: Record<string, unknown> = {}, userId = 1): Promise<number> {
    const response = await this.tryUpload(fields, userId);
    if (response.status !== 201) throw new Error(`the upload returned ${response.status}: ${response.text}`);
    return response.body.content_id;
  }

  async list(parameters: Record<string, string | number> = {}): Promise<ApiResponse<ContentPage>> {
    const query = new URLSearchParams(parameters as Record<string, string>);
    return this.get(`/api/content?${query}`);
  }

  /** @returns the names of the items that match the prompt, in the order of the list */
  async search(prompt: string, parameters: Record<string, string | number> = {}): Promise<string[]> {
    const response = await this.list({ prompt, size: 100, ...parameters });
    if (response.status !== 200) throw new Error(`the search returned ${response.status}: ${response.text}`);
    return response.body.content.map((item) => item.name);
  }
}
