const QUOTE = '"';

/** `open`: the line ends within quotation marks. `wrong`: text follows the end of a cell in quotation marks. `cell`: the last one that was read, from 1 on. */
export type LineEnd = { state: 'closed' | 'open' | 'wrong'; cell: number };

/**
 * Tells whether a record of a CSV ends with a line, by RFC 4180: a cell that begins with a quotation mark ends with the next one
 * that is not doubled. The cells themselves are read by a parser.
 * @param before the end of the record's line before, which is open; undefined for its first line
 */
export function endOfLine(line: string, separator: string, before?: LineEnd): LineEnd {
  let [at, cell, isQuoted] = [0, before?.cell ?? 1, before !== undefined];
  for (;;) {
    if (isQuoted) {
      const end = endOfQuoted(line, at);
      if (end === undefined) return { state: 'open', cell };
      if (end === line.length) return { state: 'closed', cell };
      if (!line.startsWith(separator, end)) return { state: 'wrong', cell };
      [at, isQuoted, cell] = [end + separator.length, false, cell + 1];
    } else if (line[at] === QUOTE) {
      [at, isQuoted] = [at + 1, true];
    } else {
      const next = line.indexOf(separator, at);
      if (next === -1) return { state: 'closed', cell };
      [at, cell] = [next + separator.length, cell + 1];
    }
  }
}

/** @returns what follows the quotation mark that ends a cell; undefined if there is none */
function endOfQuoted(line: string, from: number): number | undefined {
  let end = line.indexOf(QUOTE, from);
  while (end !== -1 && line[end + 1] === QUOTE) end = line.indexOf(QUOTE, end + 2);
  return end === -1 ? undefined : end + 1;
}
