import type { Host } from './host.ts';
import { isRefusal, STILL_VALID } from './problems.ts';
import type { Provider, Tokens } from './provider.ts';

/** A token is renewed so long before its end, or when a quarter of its lifetime is left if that is less. */
const MARGIN_MS = 60_000;
/** After a failure, twice as long after each further one. */
const RETRY_MS = 5_000;
const RETRY_MAX_MS = 60_000;
/** Timers may fire so much earlier. */
const EARLY_MS = 50;
/** The longest time of `setTimeout`. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** What other tabs are told: without the refresh token. */
type Renewed = { previous: string; token: string; idToken: string | undefined };

/** `dueMs` is when to renew them, or to try it again. */
type Kept = Tokens & { dueMs: number };

/**
 * Renews the access token with a refresh token, which is nowhere but in this object: no two tabs have the same. Tabs that
 * have got the access token from this one get the new one, too.
 */
export class Renewal {
  readonly #host: Host;
  readonly #provider: Provider | undefined;
  readonly #channel = new BroadcastChannel('renewed-token');
  #kept: Kept | undefined;
  #running: Promise<boolean> | undefined;
  #failures = 0;
  #timers: number[] = [];

  constructor(host: Host, provider: Provider | undefined) {
    this.#host = host;
    this.#provider = provider;
    this.#channel.onmessage = ({ data }: MessageEvent<Renewed>) => {
      if (data.previous === host.session.get().token) host.replaceToken(data.token, data.idToken);
    };
  }

  /** Renews these tokens from now on. */
  keep(tokens: Tokens): void {
    const leftMs = tokens.endsMs - Date.now();
    const dueInMs = leftMs - Math.min(MARGIN_MS, leftMs / 4);
    this.#failures = 0;
    this.#kept = { ...tokens, dueMs: Date.now() + dueInMs };
    this.#schedule(dueInMs, leftMs);
  }

  get hasTokens(): boolean {
    return this.#kept !== undefined;
  }

  forget(): void {
    this.#kept = undefined;
    this.#timers.forEach(clearTimeout);
  }

  /** @param refused the token that the API did not accept. @returns whether there is a new token */
  async renew(refused?: string): Promise<boolean> {
    const kept = this.#kept;
    // The user may have pasted another token.
    if (kept?.refreshToken === undefined || this.#host.session.get().token !== kept.accessToken) return false;
    const now = Date.now();
    const isDue = now >= kept.dueMs - EARLY_MS || (refused === kept.accessToken && this.#failures === 0);
    if (!isDue) return false;
    this.#running ??= this.#refresh(kept, kept.refreshToken).finally(() => (this.#running = undefined));
    // A token that is still valid does not wait for the next one.
    return refused !== undefined || now >= kept.endsMs ? this.#running : false;
  }

  async #refresh(old: Kept, refreshToken: string): Promise<boolean> {
    try {
      const tokens = await (this.#provider as Provider).refresh(refreshToken);
      if (this.#kept !== old || this.#host.session.get().token !== old.accessToken) return false;
      const { accessToken: token, idToken = old.idToken } = tokens;
      this.keep({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken, idToken });
      this.#host.replaceToken(token, idToken);
      this.#channel.postMessage({ previous: old.accessToken, token, idToken } satisfies Renewed);
      this.#host.tell(undefined);
      return true;
    } catch (error) {
      if (this.#kept === old) this.#noteFailure(old, isRefusal(error as object));
      return false;
    }
  }

  #noteFailure(old: Kept, isRefused: boolean): void {
    if (isRefused) return void (this.#kept = { ...old, refreshToken: undefined });
    const pauseMs = Math.min(RETRY_MS * 2 ** this.#failures, RETRY_MAX_MS);
    this.#failures += 1;
    const now = Date.now();
    this.#kept = { ...old, dueMs: now + pauseMs };
    this.#schedule(pauseMs, old.endsMs > now ? old.endsMs - now : pauseMs);
    this.#host.tell(STILL_VALID);
  }

  #schedule(renewInMs: number, endInMs: number): void {
    this.#timers.forEach(clearTimeout);
    this.#timers = [after(renewInMs, () => void this.renew()), after(endInMs, () => void this.#end())];
  }

  async #end(): Promise<void> {
    const token = this.#kept?.accessToken;
    if (token !== undefined && !(await this.renew(token))) this.#host.refuseToken(token);
  }
}

function after(ms: number, act: () => void): number {
  return setTimeout(act, Math.min(Math.max(ms, 0), TIMER_MAX_MS));
}
