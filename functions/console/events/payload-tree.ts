import { type Node, parseTree } from 'jsonc-parser';
import { countOf, formatNumber } from '../../../shared/count-of.ts';
import { type Html, html } from '../html.ts';
import { isDeep } from './payload-lines.ts';

/** Members that a page shows of one object or list, and nodes that it shows in all. */
const maxMembers = 100;
const maxNodes = 1000;

/** Objects and lists with more members, or at a greater depth, are closed at first. */
const maxOpen = 12;
const maxOpenDepth = 4;

type Budget = { nodes: number };

/**
 * JSON text as a tree whose objects and lists open and close, or undefined if it is not JSON, or too deep.
 * Digits and escapes are unchanged; the end of truncated JSON is missing.
 */
export function payloadTree(text: string): Html | undefined {
  const root = isDeep(text) ? undefined : parseTree(text);
  return (
    root &&
    html`<div class="code tree">${showNode(root, { text, path: [], budget: { nodes: maxNodes } })}</div>`
  );
}

type Shown = { readonly text: string; readonly path: readonly (string | number)[]; readonly budget: Budget };

function showNode(node: Node, shown: Shown): Html {
  shown.budget.nodes--;
  const name = shown.path.at(-1);
  const path = printPath(shown.path);
  const label = name !== undefined && html`<b class="key" title="${path}">${name}</b>: `;
  const copy = html` <button type="button" class="link" data-copy-text="${path}" hidden>Copy path</button>`;
  const { type, children: members = [] } = node;
  if (type !== 'object' && type !== 'array')
    return html`<div>${label}${showLiteral(node, shown.text)}${copy}</div>`;
  const [open, close, noun] = type === 'object' ? ['{', '}', 'field'] : ['[', ']', 'element'];
  const head = html`${label}${open}<span class="dim">${countOf(members.length, noun)}</span>${close}${copy}`;
  if (members.length === 0) return html`<div>${head}</div>`;
  const isOpen = shown.path.length === 0 || (members.length <= maxOpen && shown.path.length < maxOpenDepth);
  return html`<details${isOpen && html` open`}><summary>${head}</summary>${showMembers(members, shown)}</details>`;
}

function showMembers(members: readonly Node[], { text, path, budget }: Shown): Html {
  const lines: Html[] = [];
  for (const [i, member] of members.slice(0, maxMembers).entries()) {
    if (budget.nodes <= 0) break;
    const [key, value] = member.type === 'property' ? (member.children ?? []) : [undefined, member];
    if (value) lines.push(showNode(value, { text, path: [...path, key ? String(key.value) : i], budget }));
  }
  const rest = members.length - lines.length;
  return html`${lines}${rest > 0 && html`<div class="dim">${formatNumber(rest)} more: find them, or download the payload</div>`}`;
}

function showLiteral({ type, offset, length }: Node, text: string): Html {
  const source = text.slice(offset, offset + length);
  return type === 'string' ? html`<b class="text">${source}</b>` : html`<b class="value">${source}</b>`;
}

/** A path in a JSON document, as masks and patches of fields write it: `$.lines[3].price`, `$["a b"]`. */
export function printPath(path: readonly (string | number)[]): string {
  const parts = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return `$${parts.join('')}`;
}
