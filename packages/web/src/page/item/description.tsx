import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { blocksOf, type Block } from './description-blocks.ts';
import { linkParts } from './link-parts.ts';
import type { Markup } from './markup.ts';

type Read = (text: string) => Markup[];

/** What may be bold text or a link: the reader of Markdown is loaded for nothing else. */
const HAS_MARKUP = /\*\*|\]\(/;

/** Paragraphs, lists, bold text and links as elements, never as HTML; everything else as it was typed. */
export function Description({ text }: { text: string }) {
  const read = useReader(HAS_MARKUP.test(text));
  if (text === '') return null;
  return (
    <div class="item-description" dir="auto">
      {blocksOf(text).map((block, position) => (
        <BlockOf key={position} block={block} read={read} />
      ))}
    </div>
  );
}

/** Until it is loaded, and if it cannot be, the text is shown as it was typed. */
function useReader(isNeeded: boolean): Read {
  const [reader, setReader] = useState<{ read: Read }>();
  useEffect(() => {
    if (isNeeded && !reader)
      import('./markup.ts').then(
        ({ markupOf }) => setReader({ read: markupOf }),
        () => undefined,
      );
  }, [isNeeded]);
  return reader?.read ?? linkParts;
}

function BlockOf({ block, read }: { block: Block; read: Read }) {
  if (block.kind === 'lines') return <p>{show(read(block.text))}</p>;
  return (
    <ul>
      {block.items.map((item, position) => (
        <li key={position}>{show(read(item))}</li>
      ))}
    </ul>
  );
}

function show(parts: Markup[]): ComponentChildren {
  return parts.map((part, position) => {
    if ('bold' in part) return <strong key={position}>{show(part.bold)}</strong>;
    if (!('link' in part) && part.href === undefined) return part.text;
    return (
      <a key={position} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
        {'link' in part ? show(part.link) : part.text}
      </a>
    );
  });
}
