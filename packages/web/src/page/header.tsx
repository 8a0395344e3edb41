import { Button } from '../shared/button.tsx';
import { Icon } from '../shared/icon.tsx';
import { titleOfPage } from '../shared/keep-focus.ts';
import { useStore } from '../shared/store.ts';
import { useCreatorNames } from './api/creator-names.ts';
import { EVERYTHING } from './location/query-string.ts';
import { linkTo, navigate } from './location/view.ts';
import { SearchBox } from './search/search-box.tsx';
import { settings } from './settings.ts';
import { session } from './token/session.ts';
import { t } from '../messages/texts.ts';

export function Header({ onAccount }: { onAccount: () => void }) {
  return (
    <header class="header">
      <a class="skip" href="#items" onClick={skip}>
        {t('skip')}
      </a>
      <div class="header-inner">
        <a class="brand" {...linkTo(EVERYTHING)}>
          <Logo />
          <h1 dir="auto">{settings.name}</h1>
        </a>
        <SearchBox />
        <div class="header-actions">
          <Button kind="primary" icon="plus" onClick={() => navigate({ form: 'upload', item: undefined })}>
            {t('upload')}
          </Button>
          <UserButton onClick={onAccount} />
        </div>
      </div>
    </header>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  titleOfPage()?.focus();
}

function Logo() {
  if (settings.logo !== undefined) return <img class="own-logo" src={settings.logo} alt="" />;
  return (
    <span class="logo">
      <Icon name="search" />
    </span>
  );
}

function UserButton({ onClick }: { onClick: () => void }) {
  const { user } = useStore(session);
  const nameOf = useCreatorNames();
  return (
    <Button icon="user" onClick={onClick}>
      <bdi class="user-name">{nameOf(user?.userId ?? 0, user?.name ?? t('account'))}</bdi>
    </Button>
  );
}
