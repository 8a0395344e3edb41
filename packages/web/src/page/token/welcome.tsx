import { TokenCommands, TokenForm } from './token-form.tsx';

/** @param isItemAsked whether the address is that of an item */
export function Welcome({ isItemAsked }: { isItemAsked: boolean }) {
  return (
    <main class="welcome">
      <h1 data-title-of-page tabIndex={-1}>
        Collection
      </h1>
      <p class="lead">Search what others made, and upload your own. To see it, you need a token, which says who you are.</p>
      {isItemAsked && <p class="lead">The item of your link opens then.</p>}
      <TokenForm />
      <h2>How to get a token</h2>
      <TokenCommands />
    </main>
  );
}
