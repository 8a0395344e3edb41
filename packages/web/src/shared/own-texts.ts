import { Fragment, options, type VNode } from 'preact';
import { jsx } from 'preact/jsx-runtime';

/**
 * Gives every text an element of its own. The translation of a browser replaces text nodes: one that changes later would
 * change outside of the document, and its neighbours would be put before a node that is no longer there. A new text
 * replaces whatever its element contains by then, and is translated like any other.
 */
const before = options.vnode;
options.vnode = (vnode) => {
  before?.(vnode);
  if (vnode.type === Fragment || typeof vnode.type === 'string') own(vnode.type, vnode.props);
};

type Props = { children?: unknown; textContent?: string };

function own(type: VNode['type'], props: Props): void {
  const { children } = props;
  const parts = [children].flat(Infinity);
  if (!parts.some(isText) || type === 'tspan') return;
  // In SVG, `textContent` would become an attribute.
  if (type === 'text') props.children = jsx('tspan', { children: parts.join('') }, parts.join(''));
  else if (type === Fragment || !parts.every((part) => isText(part) || isNothing(part))) props.children = elementOf(children);
  else {
    delete props.children;
    props.textContent = parts.filter(isText).join('');
  }
}

/** Texts that follow each other have one element, as they would be one item of a flexible box. The others become nothing. */
function elementOf(child: unknown): unknown {
  if (isText(child)) return textOf(String(child));
  if (!Array.isArray(child)) return child;
  return child.map((part: unknown, position) => {
    if (!isText(part)) return elementOf(part);
    if (isText(child[position - 1])) return null;
    const end = child.findIndex((other, at) => at > position && !isText(other));
    return textOf(child.slice(position, end < 0 ? undefined : end).join(''));
  });
}

/** A blank alone is no item of a flexible box. */
function textOf(text: string) {
  return jsx('page-text', text.trim() === '' ? { textContent: text, class: 'blank' } : { textContent: text });
}

function isText(child: unknown): child is string | number {
  return typeof child === 'string' || typeof child === 'number';
}

/** What Preact shows nothing for. */
function isNothing(child: unknown): boolean {
  return child === null || child === undefined || typeof child === 'boolean';
}
