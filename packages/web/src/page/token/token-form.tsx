import { useId, useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { trimToken } from './claims.ts';
import { signIn, userOf } from './session.ts';
import { t } from '../../messages/texts.ts';

/** @param onDone called after a new token is in use */
export function TokenForm({ onDone }: { onDone?: (() => void) | undefined }) {
  const [text, setText] = useState('');
  const [error, setError] = useState('');
  const id = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    const token = trimToken(text);
    if (!userOf(token)) return setError(t('noToken'));
    signIn(token);
    onDone?.();
  };
  return (
    <form class="token-form" onSubmit={submit}>
      <label for={id}>{t('token')}</label>
      <div class="field-row">
        <input
          id={id}
          class="input mono"
          autocomplete="off"
          spellcheck={false}
          placeholder="eyJ…"
          value={text}
          aria-invalid={error !== ''}
          aria-describedby={`${id}-error`}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit">
          {t('useThisToken')}
        </Button>
      </div>
      <p id={`${id}-error`} class="error">
        {error}
      </p>
    </form>
  );
}

export function TokenCommands() {
  return (
    <dl class="commands">
      <dt>{t('startedWith', { program: 'pnpm' })}</dt>
      <dd>
        <code translate={false}>npx pnpm run token --user 1</code>
      </dd>
      <dt>{t('startedWith', { program: 'Docker Compose' })}</dt>
      <dd>
        <code translate={false}>docker compose exec api node services/api/src/commands/token.ts --user 1</code>
      </dd>
      <dt>{t('anywhereElse')}</dt>
      <dd>{t('askOperator')}</dd>
    </dl>
  );
}
