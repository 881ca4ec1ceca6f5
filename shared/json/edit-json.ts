import type { Node } from 'jsonc-parser';
import { findChild, findNode, PatchError } from './json-nodes.ts';

/** The text with the node's value replaced. Every other byte stays. */
export function replaceNode(text: string, { offset, length }: Node, value: string): string {
  return text.slice(0, offset) + value + text.slice(offset + length);
}

/** The text without a member or an element, and without its comma. Throws PatchError for the root. */
export function removeNode(text: string, node: Node): string {
  const item = node.parent?.type === 'property' ? node.parent : node;
  const siblings = item.parent?.children;
  if (!siblings) throw new PatchError('The whole document cannot be removed.');
  const index = siblings.indexOf(item);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  if (after) return text.slice(0, item.offset) + text.slice(after.offset);
  return text.slice(0, before ? endOf(before) : item.offset) + text.slice(endOf(item));
}

type Insertion = { readonly path: readonly string[]; readonly value: string };

/**
 * The text with a value added as RFC 6902, 4.1, defines: an existing member is replaced, an element shifts
 * those after it. Throws PatchError if the path has no parent.
 */
export function insertValue(text: string, root: Node, { path, value }: Insertion): string {
  const token = path.at(-1);
  if (token === undefined) return replaceNode(text, root, value);
  const container = findNode(root, path.slice(0, -1));
  if (container?.type === 'array') return insertElement(text, container, { path, value });
  if (container?.type !== 'object') throw new PatchError('The path has no parent object or array.');
  const existing = findChild(container, token);
  if (existing) return replaceNode(text, existing, value);
  return append(text, container, `${JSON.stringify(token)}:${value}`);
}

function insertElement(text: string, array: Node, { path, value }: Insertion): string {
  const { children = [] } = array;
  const token = path.at(-1) ?? '';
  const next = findChild(array, token);
  if (next) return `${text.slice(0, next.offset)}${value},${text.slice(next.offset)}`;
  if (token === '-' || token === String(children.length)) return append(text, array, value);
  throw new PatchError(`The list has ${children.length} elements.`);
}

function append(text: string, container: Node, item: string): string {
  const last = container.children?.at(-1);
  const at = last ? endOf(last) : container.offset + 1;
  return `${text.slice(0, at)}${last ? ',' : ''}${item}${text.slice(at)}`;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
