import { Marked } from 'marked';
import { escapeHtml } from './static-file.ts';

/** Renders documents of this repository, never a text of a user. Headings have the ids that their links expect. */
const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const id = text
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-');
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    // A long line is scrolled, also with the keys.
    code({ text, lang = '' }) {
      return `<pre tabindex="0"><code class="language-${lang}">${escapeHtml(text)}\n</code></pre>\n`;
    },
    // The other documents are not served.
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return /^(#|docs\/|openapi\.json$|https:)/.test(href) ? `<a href="${href}">${text}</a>` : text;
    },
  },
});

export function renderMarkdown(text: string): string {
  return markdown.parse(text, { async: false });
}

/** Renders one line, such as a description with `code`. */
export function renderInline(text: string): string {
  return markdown.parseInline(text, { async: false });
}
