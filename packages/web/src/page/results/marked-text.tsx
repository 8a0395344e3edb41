import { Fragment } from 'preact';
import { parseFragment } from './parse-fragment.ts';

/** A text with its marks. Its parts become text nodes and <mark> elements, never HTML. */
export function Marked({ parts }: { parts: ReturnType<typeof parseFragment> }) {
  return (
    <>
      {parts.map((part, position) =>
        part.isMarked ? <mark key={position}>{part.text}</mark> : <Fragment key={position}>{part.text}</Fragment>,
      )}
    </>
  );
}

/** @param fragment the text in `highlights`; undefined if nothing in it matches */
export function MarkedText({ text, fragment }: { text: string; fragment: string | undefined }) {
  return fragment === undefined ? <>{text}</> : <Marked parts={parseFragment(fragment)} />;
}
