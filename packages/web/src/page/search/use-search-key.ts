import { useEffect, useRef } from 'preact/hooks';
import { hasModifier } from '../../shared/has-modifier.ts';

/** The key `/` leads to the search field, unless something is being typed or a dialog covers the field. */
export function useSearchKey() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isElsewhere = (event.target as HTMLElement).matches('input, textarea, select') || document.querySelector('dialog') !== null;
      if (event.key !== '/' || isElsewhere || hasModifier(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return field;
}
