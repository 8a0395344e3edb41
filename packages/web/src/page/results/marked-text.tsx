import { Fragment } from 'preact';
import { parseFragment } from './parse-fragment.ts';

/**
 * A text with its marks. The parts of the fragment become text nodes and <mark> elements, never HTML.
 * @param fragment the text in `highlights`; undefined if nothing in it matches
 */
export function MarkedText({ text, fragment }: { text: string; fragment: string | undefined }) {
  if (fragment === undefined) return <>{text}</>;
  return (
    <>
      {parseFragment(fragment).map((part, position) =>
        part.isMarked ? <mark key={position}>{part.text}</mark> : <Fragment key={position}>{part.text}</Fragment>,
      )}
    </>
  );
}
