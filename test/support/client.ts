import type { ContentPage } from '@ugc/api/search/page';
import { tokenOf } from './tokens.ts';

export type Answer<T = any> = { status: number; headers: Headers; body: T; text: string };

/** Calls the API as a user would. */
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
  ): Promise<Answer> {
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

  async get(path: string, userId = 1): Promise<Answer> {
    return this.request('GET', path, { token: await tokenOf(userId) });
  }

  async post(path: string, body: unknown, userId = 1): Promise<Answer> {
    return this.request('POST', path, {
      token: await tokenOf(userId),
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  }

  /** Sends JSON as a user, with further headers. */
  async send(method: string, path: string, body?: unknown, userId = 1, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(method, path, {
      token: await tokenOf(userId),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** Uploads an item that is valid but for what is given. */
  async tryUpload(fields: Record<string, unknown> = {}, userId = 1): Promise<Answer> {
    this.#uploads += 1;
    return this.post(
      '/content',
      { creatorId: userId, name: `item ${this.#uploads}`, description: '', version: 1, data: '', ...fields },
      userId,
    );
  }

  /** @returns the new item's id */
  async upload(fields: Record<string, unknown> = {}, userId = 1): Promise<number> {
    const answer = await this.tryUpload(fields, userId);
    if (answer.status !== 201) throw new Error(`the upload was answered ${answer.status}: ${answer.text}`);
    return answer.body.content_id;
  }

  async list(parameters: Record<string, string | number> = {}): Promise<Answer<ContentPage>> {
    const query = new URLSearchParams(parameters as Record<string, string>);
    return this.get(`/api/content?${query}`);
  }

  /** @returns the names of what a prompt finds, in the order of the list */
  async search(prompt: string, parameters: Record<string, string | number> = {}): Promise<string[]> {
    const answer = await this.list({ prompt, size: 100, ...parameters });
    if (answer.status !== 200) throw new Error(`the search was answered ${answer.status}: ${answer.text}`);
    return answer.body.content.map((item) => item.name);
  }
}
