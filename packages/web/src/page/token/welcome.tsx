import { Notice } from '../notice.tsx';
import { settings } from '../settings.ts';
import { Access } from './sign-in-parts.tsx';

/** @param isItemAsked whether the address is that of an item */
export function Welcome({ isItemAsked }: { isItemAsked: boolean }) {
  return (
    <main class="welcome">
      <h1 data-title-of-page tabIndex={-1} dir="auto">
        {settings.name}
      </h1>
      <p class="lead">
        {settings.about ?? 'Search what others made, and upload your own.'} To see it,{' '}
        {settings.signIn ? 'sign in' : 'you need a token, which says who you are'}.
      </p>
      {isItemAsked && <p class="lead">The item of your link opens then.</p>}
      <Access label="Sign in" />
      <Notice />
    </main>
  );
}
