import MarkdownIt, { type Token } from 'markdown-it';
import { linkParts, pageHref, type TextPart } from './link-parts.ts';

/** Bold text and links of Markdown; what else has a meaning there stays as it was typed. */
export type Markup = TextPart | { bold: Markup[] } | { link: Markup[]; href: string };

/** Without any rule but these. A link that is none of ours is refused here, so that its source stays. */
const parser = new MarkdownIt('zero').enable(['emphasis', 'link', 'image']);
parser.validateLink = (address) => pageHref(address) !== undefined;
parser.normalizeLink = (address) => address;

/** Hostile texts cost the parser the square of their length, so it reads no more at once: a paragraph is rarely as long. */
const AT_ONCE = 2_000;

/** @param text lines of a description. Takes time in proportion to their length. */
export function markupOf(text: string): Markup[] {
  return piecesOf(text).flatMap((piece) => {
    const tokens = parser.parseInline(piece, {}).flatMap(({ children }) => children ?? []);
    return read(tokens, { at: 0 }, undefined);
  });
}

/** Ends each piece at the end of a line if there is one, or else after a blank, but not inside of a character. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > AT_ONCE) {
    const most = text.slice(start, start + AT_ONCE).replace(/[\ud800-\udbff]$/, '');
    const end = Math.max(most.lastIndexOf('\n'), 0) || Math.max(most.lastIndexOf(' '), 0) || most.length - 1;
    pieces.push(text.slice(start, (start += end + 1)));
  }
  return [...pieces, text.slice(start)];
}

type Place = { at: number };
type Open = 'strong_close' | 'link_close';

/** Reads until the token that closes what is open. Texts that follow each other are one, in which addresses are found. */
function read(tokens: Token[], place: Place, open: Open | undefined, isInLink = open === 'link_close'): Markup[] {
  const parts: Markup[] = [];
  let text = '';
  const endText = (): void => {
    if (text !== '') parts.push(...(isInLink ? [{ text }] : linkParts(text)));
    text = '';
  };
  for (let token = tokens[place.at++]; token && !closes(token, open); token = tokens[place.at++]) {
    const part = partOf(token, tokens, place, isInLink);
    if (typeof part === 'string') text += part;
    else {
      endText();
      parts.push(part);
    }
  }
  endText();
  return parts;
}

const closes = ({ type, markup }: Token, open: Open | undefined): boolean => type === open && markup !== '__';

/** What a token shows: a text is what was typed. */
function partOf(token: Token, tokens: Token[], place: Place, isInLink: boolean): Markup | string {
  if (token.type === 'strong_open' && token.markup === '**') return { bold: read(tokens, place, 'strong_close', isInLink) };
  if (token.type === 'link_open') return linkOf(String(token.attrGet('href')), read(tokens, place, 'link_close'));
  if (token.type !== 'image') return token.content || token.markup;
  // Instead of the picture.
  const address = String(token.attrGet('src'));
  return isInLink ? token.content : linkOf(address, token.content === '' ? [] : [{ text: token.content }]);
}

/** A text that is itself the address of a page would lead to another one than it says. One that names a host has the real one. */
function linkOf(address: string, link: Markup[]): Markup | string {
  const href = pageHref(address) ?? '';
  // As it looks: other forms of letters, and what nobody sees, would hide the address.
  const text = link.map(textOf).join('').normalize('NFKC').replaceAll(INVISIBLE, '');
  if (linkParts(text).some((part) => part.href !== undefined && part.href !== href)) return `${text} (${address})`;
  if (text.trim() === '') return { link: [{ text: address }], href };
  const host = hostOf(href);
  const isOther = (word: string): boolean =>
    HOST.test(word) && hostOf(`https://${word.replaceAll(/^[.。-]+|(?<![.。-])[.。-]+$/g, '')}`) !== host;
  return { link: text.split(BETWEEN_HOSTS).some(isOther) ? [{ text: `${text} (${host})` }] : link, href };
}

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const BETWEEN_HOSTS = /[^\p{L}\p{M}\p{N}.。-]+/u;
/** Also `report.pdf`, because nobody knows all top-level domains; not `1.10` and `e.g.` */
const HOST = /[^.。-][.。]\p{M}*\p{L}[\p{L}\p{M}\p{N}-]/u;

function hostOf(address: string): string | undefined {
  const href = pageHref(address);
  return href && new URL(href).hostname.replace(/^www\./, '');
}

function textOf(part: Markup): string {
  if ('text' in part) return part.text;
  return ('bold' in part ? part.bold : part.link).map(textOf).join('');
}
