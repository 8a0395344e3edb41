import { TokenCommands, TokenForm } from './token-form.tsx';

export function Welcome() {
  return (
    <main class="welcome">
      <h1 data-title-of-page tabIndex={-1}>
        Collection
      </h1>
      <p class="lead">Search what others made, and upload your own. To see it, you need a token, which says who you are.</p>
      <TokenForm />
      <h2>How to get a token</h2>
      <TokenCommands />
    </main>
  );
}
