import type { Said } from '../messages/texts.ts';
import type { Host, SignIn } from './host.ts';
import { forgetUser, mayKnowUser, onForgotten, setKnown } from './known-user.ts';
import { keepPending, takePending, type Pending, type Returned } from './pending.ts';
import * as problems from './problems.ts';
import { Provider } from './provider.ts';
import { Renewal } from './renewal.ts';
import { returned } from './returned.ts';
import { mayTrySilently, noteReturn, noteSilentTry } from './silent-try.ts';

export const start = (host: Host): SignIn => new PageSignIn(host);

class PageSignIn implements SignIn {
  readonly #host: Host;
  readonly #provider: Provider | undefined;
  readonly #renewal: Renewal;
  #leaving: Promise<boolean> | undefined;

  constructor(host: Host) {
    const { settings } = host;
    this.#host = host;
    this.#provider = settings.provider && new Provider(settings, settings.provider);
    this.#renewal = new Renewal(host, this.#provider);
    onForgotten(() => {
      if (host.session.get().idToken !== undefined) this.#forget();
    });
  }

  async renew(refused?: string): Promise<boolean> {
    if (await this.#renewal.renew(refused)) return true;
    // The page is left: nothing of it should say meanwhile that the token is not valid.
    if (refused !== undefined && (await this.#askForOther(refused))) await new Promise(() => undefined);
    return false;
  }

  async resume(): Promise<boolean> {
    return returned ? this.#finish(returned).then(() => false) : this.askAgain();
  }

  async askAgain(): Promise<boolean> {
    const { token, offered, idToken, signIns } = this.#host.session.get();
    // The user has come back from the provider without an answer: no second redirect without a click.
    const isUnfinished = takePending() !== undefined;
    // A tab that is loaded again has lost its refresh token.
    const mayAsk = (idToken !== undefined && signIns === 0) || (token === undefined && mayKnowUser());
    if (mayAsk && !isUnfinished && offered === undefined && this.#mayTrySilently()) return this.#leave(true);
    return token === undefined && !this.#provider ? this.#fail(problems.NO_PROVIDER) : false;
  }

  async begin(): Promise<void> {
    this.#host.tell(undefined);
    // A new document has the endpoints, if the API has learnt them meanwhile.
    if (!this.#provider) location.reload();
    else await this.#leave(false);
  }

  /** What this browser has goes first: the provider may not respond. */
  async signOut(): Promise<void> {
    const url = this.#provider?.signOutUrl(this.#forget());
    forgetUser();
    this.#host.tell(undefined);
    if (url === undefined) return;
    if (await this.#provider?.isReachable()) location.assign(url);
    else this.#host.tell(problems.SIGNED_OUT_HERE);
  }

  #forget(): string | undefined {
    const { idToken } = this.#host.session.get();
    this.#renewal.forget();
    this.#host.signOut();
    return idToken;
  }

  /** Only the tab that has asked for a token can renew it. @returns whether the page is left for one of its own */
  async #askForOther(refused: string): Promise<boolean> {
    const { token, idToken, offered } = this.#host.session.get();
    const isOfOther = token === refused && idToken !== undefined && !this.#renewal.hasTokens;
    if (!isOfOther || offered !== undefined || !mayKnowUser() || !this.#mayTrySilently()) return false;
    // Forms object if what was typed would be lost.
    if (!dispatchEvent(new Event('may-leave', { cancelable: true }))) return false;
    // Several requests may be refused at once.
    this.#leaving ??= this.#leave(true).finally(() => (this.#leaving = undefined));
    return this.#leaving;
  }

  #mayTrySilently(): boolean {
    return this.#provider === undefined || mayTrySilently(this.#provider.issuer);
  }

  /** @returns whether the page is left for that of the provider */
  async #leave(isSilent: boolean): Promise<boolean> {
    const provider = this.#provider;
    if (!isSecureContext) return this.#fail(problems.NOT_SECURE);
    if (!provider || !(await provider.isReachable())) return this.#fail(problems.NO_PROVIDER);
    const { url, pending } = await provider.request(isSilent);
    keepPending(pending);
    if (isSilent) noteSilentTry(provider.issuer);
    if (isSilent) location.replace(url);
    else location.assign(url);
    return true;
  }

  #fail(problem: Said): false {
    this.#host.tell(problem);
    return false;
  }

  async #finish(answer: Returned): Promise<void> {
    const { parameters, pending } = answer;
    const provider = this.#provider;
    if (!pending) return this.#host.tell(problems.FOREIGN);
    if (!provider) return this.#host.tell(problems.NO_PROVIDER);
    noteReturn(provider.issuer, answer);
    if ((parameters.get('iss') ?? provider.issuer) !== provider.issuer) return this.#refuse(problems.OTHER_ISSUER);
    try {
      const tokens = await provider.exchange(parameters, pending);
      const problem = await this.#problemOf(tokens.accessToken, provider.issuer);
      if (problem !== undefined) return this.#refuse(problem);
      this.#renewal.keep(tokens);
      setKnown(true);
      this.#host.signIn(tokens.accessToken, tokens.idToken);
    } catch (error) {
      await this.#explain(error as object, pending, provider);
    }
  }

  async #explain(error: object, { isSilent }: Pending, provider: Provider): Promise<void> {
    if (isSilent && problems.needsUser(error)) return setKnown(false);
    const problem = problems.describeFailure(error);
    if (problem !== undefined) return this.#refuse(problem);
    const isSlow = problems.isTimeout(error) || !(await provider.isReachable());
    this.#host.tell(isSlow ? problems.NO_PROVIDER : problems.describeOrigin(location.origin));
  }

  /** The next load of the page does not ask the provider again. */
  #refuse(problem: Said): void {
    setKnown(false);
    this.#host.tell(problem);
  }

  /** @returns undefined if the API accepts the token. A wrong setting is found before the token is used. */
  async #problemOf(token: string, issuer: string): Promise<Said | undefined> {
    const { settings, userClaim } = this.#host;
    if (!this.#host.userOf(token)) return problems.describeUnreadable(token, userClaim, settings);
    const response = await fetch('api/users/me', { headers: { Authorization: `Bearer ${token}` } }).catch(() => undefined);
    return response?.status === 403 ? problems.describeRefused(token, issuer, settings) : undefined;
  }
}
