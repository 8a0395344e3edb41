/** A part of a description, as its creator has typed it: lines, or the items of a list. */
export type Block = { kind: 'lines'; text: string } | { kind: 'list'; items: string[] };

const ITEM = /^- +(?=\S)/;
const isBlank = (line: string): boolean => line.trim() === '';

/**
 * A blank line ends lines, and more of them stay where they were; lines that begin with `- ` are a list. The unit of
 * everything else that has a meaning in Markdown is the line, so it stays as it was typed.
 */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let blanks = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    if (isBlank(line)) blanks += 1;
    else {
      add(blocks, line, blanks);
      blanks = 0;
    }
  }
  return blocks;
}

function add(blocks: Block[], line: string, blanks: number): void {
  const last = blocks.at(-1);
  const item = ITEM.test(line) ? line.replace(ITEM, '') : undefined;
  if (item !== undefined && last?.kind === 'list') last.items.push(item);
  else if (item !== undefined) blocks.push({ kind: 'list', items: [item] });
  else if (last && blanks === 0) continueBlock(last, line, blocks);
  // One blank line is the distance of two blocks.
  else blocks.push({ kind: 'lines', text: '\n'.repeat(last ? blanks - 1 : blanks) + line });
}

/** An indented line belongs to the item before it. */
function continueBlock(last: Block, line: string, blocks: Block[]): void {
  if (last.kind === 'lines') last.text += `\n${line}`;
  else if (/^\s/.test(line)) last.items.push(`${last.items.pop() ?? ''}\n${line.trim()}`);
  else blocks.push({ kind: 'lines', text: line });
}
