/** A change of a text: `text` takes the place of what is from `start` to `end`. */
export type Edit = { start: number; end: number; text: string };

/** The parts of a regular expression that changes need. `${…}` of a template is one atom. */
type Piece = { kind: 'anchor' | 'open' | 'close' | 'bar' | 'quantifier' | 'class' | 'atom'; start: number; end: number };

const PIECES: [Piece['kind'], RegExp][] = [
  ['anchor', /\^|\$(?!\{)|\\[bB]/y],
  ['open', /\((?:\?(?:[:=!]|<[=!]|<\w+>))?/y],
  ['close', /\)/y],
  ['bar', /\|/y],
  ['quantifier', /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y],
  ['atom', /\$\{[^{}]*\}|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\[\s\S]|[^[\]]/y],
];

/**
 * Changes of a regular expression: without an anchor, an alternative, a look-around, a part of a class; with another
 * quantifier.
 */
export function regexEdits(source: string): Edit[] {
  const pieces = piecesOf(source);
  return [
    ...pieces.filter(({ kind }) => kind === 'anchor').map(remove),
    ...pieces.filter(({ kind }) => kind === 'class').flatMap((piece) => classEdits(source, piece)),
    ...pieces.flatMap((piece, at) => (piece.kind === 'quantifier' ? quantifierEdits(source, piece, pieces[at - 1]) : [])),
    ...groupEdits(source, pieces),
  ];
}

function remove({ start, end }: Pick<Piece, 'start' | 'end'>): Edit {
  return { start, end, text: '' };
}

function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < source.length;) {
    const piece = pieceAt(source, start);
    pieces.push(piece);
    start = piece.end;
  }
  return pieces;
}

function pieceAt(source: string, start: number): Piece {
  if (source[start] === '[') return { kind: 'class', start, end: endOfClass(source, start) };
  for (const [kind, pattern] of PIECES) {
    pattern.lastIndex = start;
    const [text] = pattern.exec(source) ?? [];
    if (text !== undefined) return { kind, start, end: start + text.length };
  }
  return { kind: 'atom', start, end: start + 1 };
}

function endOfClass(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '[') depth += 1;
    else if (source[at] === ']' && --depth === 0) return at + 1;
  }
  return source.length;
}

const CLASS_CHARACTER = /\$\{[^{}]*\}|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\[\s\S]|[^[\]]/uy;

/** Each operand, character, range and inner class, of which one is left. */
function classEdits(source: string, { start, end }: Piece): Edit[] {
  const operands: Edit[] = [];
  const members: Edit[] = [];
  const inner: Piece[] = [];
  let at = source[start + 1] === '^' ? start + 2 : start + 1;
  const first = at;
  while (at < end - 1) {
    const isOperator = at > first && /^(?:--|&&)/.test(source.slice(at, at + 2));
    const from = at;
    if (isOperator) at += 2;
    if (source[at] === '[') {
      inner.push({ kind: 'class', start: at, end: endOfClass(source, at) });
      at = endOfClass(source, at);
    } else at = endOfRange(source, at);
    (isOperator ? operands : members).push({ start: from, end: at, text: '' });
  }
  // An operator needs what it is applied to.
  const removable = members.length > 1 && operands.length === 0 ? members : [];
  return [...removable, ...operands, ...inner.flatMap((piece) => classEdits(source, piece))];
}

function endOfRange(source: string, start: number): number {
  const one = endOfCharacter(source, start);
  const isRange = source[one] === '-' && source[one + 1] !== '-' && source[one + 1] !== ']' && source[one + 1] !== '[';
  return isRange ? endOfCharacter(source, one + 1) : one;
}

function endOfCharacter(source: string, start: number): number {
  CLASS_CHARACTER.lastIndex = start;
  return start + (CLASS_CHARACTER.exec(source)?.[0].length ?? 1);
}

function quantifierEdits(source: string, piece: Piece, atom: Piece | undefined): Edit[] {
  const text = source.slice(piece.start, piece.end);
  const [, lowest, comma, highest = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
  const become = (other: string): Edit => ({ ...piece, text: other });
  if (lowest === undefined) {
    const without: Edit[] = text.startsWith('+') || !atom || atom.kind === 'close' ? [] : [remove({ start: atom.start, end: piece.end })];
    return [become(''), ...(text.length > 1 ? [become(text.slice(0, 1))] : []), ...without];
  }
  const [min, max] = [Number(lowest), Number(highest)];
  if (comma === '') return [become(`{${min + 1}}`), become(`{${min},}`)];
  const edits = [become(`{${min + 1},${highest}}`), ...(min > 0 ? [become(`{${min - 1},${highest}}`)] : [])];
  if (highest === '') return edits;
  return [...(max > min ? edits : edits.slice(1)), become(`{${min},${max + 1}}`), ...(max > min ? [become(`{${min},${max - 1}}`)] : [])];
}

/** Without an alternative, or a look-around. */
function groupEdits(source: string, pieces: Piece[]): Edit[] {
  const edits: Edit[] = [];
  type Open = { open: Piece | undefined; starts: number[] };
  const stack: Open[] = [{ open: undefined, starts: [0] }];
  const leave = ({ open, starts }: Open, end: number): void => {
    const ends = [...starts.slice(1).map((start) => start - 1), end];
    if (starts.length > 1)
      edits.push(
        ...starts.map((start, n) =>
          n === 0 ? { start, end: (ends[0] ?? 0) + 1, text: '' } : { start: start - 1, end: ends[n] ?? end, text: '' },
        ),
      );
    if (open && /[=!]$/.test(source.slice(open.start, open.end))) edits.push({ start: open.start, end: end + 1, text: '' });
  };
  for (const piece of pieces) {
    if (piece.kind === 'open') stack.push({ open: piece, starts: [piece.end] });
    if (piece.kind === 'bar') stack.at(-1)?.starts.push(piece.end);
    if (piece.kind === 'close') leave(stack.pop() ?? { open: undefined, starts: [] }, piece.start);
  }
  leave(stack[0] ?? { open: undefined, starts: [] }, source.length);
  return edits;
}
