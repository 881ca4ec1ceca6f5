import type { Node } from 'jsonc-parser';
import { insertValue, removeNode, replaceNode } from './edit-json.ts';
import { equalJson } from './equal-json.ts';
import { findNode, PatchError, parseDocument, readPointer } from './json-nodes.ts';
import { sliceItems, sliceMembers } from './slice-json.ts';

/**
 * An operation of RFC 6902. `value` is the JSON text of the request, so that numbers keep all their digits.
 */
export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: string }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** Reads the operations of a validated patch from its JSON text. */
export function readPatch(json: string): readonly Operation[] {
  return sliceItems(Buffer.from(json)).map(({ value: written }) => {
    const value = sliceMembers(written).get('value')?.toString();
    return { ...JSON.parse(written.toString()), value };
  });
}

/** Characters by which a patch may enlarge a document: each copy of the whole document doubles it. */
const maxGrowth = 2 ** 20;
/**
 * Characters that a patch may read: each operation reads the whole document. Ten operations are never too
 * many.
 */
const maxRead = 32 * 2 ** 20;

/**
 * Applies a JSON Patch (RFC 6902) to JSON text. Only values that the patch names are rewritten. Every other
 * byte is kept, so that numbers keep their digits and members their order. Throws PatchError if the patch
 * does not apply, and before it makes a document that is too large.
 */
export function applyPatch(json: string, patch: readonly Operation[]): string {
  let read = 0;
  return patch.reduce((text, operation, index) => {
    try {
      read += text.length;
      if (read > Math.max(maxRead, 10 * (json.length + maxGrowth)))
        throw new PatchError('The operations before it read too much of a large document.');
      const patched = applyOperation(text, operation);
      if (patched.length > json.length + maxGrowth)
        throw new PatchError(`The document grows by more than ${maxGrowth} characters.`);
      return patched;
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      throw new PatchError(`patch[${index}] (${operation.op} ${operation.path || '""'}): ${error.message}`);
    }
  }, json);
}

function applyOperation(text: string, operation: Operation): string {
  const root = parseDocument(text);
  const path = readPointer(operation.path);
  switch (operation.op) {
    case 'add':
      return insertValue(text, root, { path, value: operation.value });
    case 'remove':
      return removeNode(text, mustFind(root, path));
    case 'replace':
      return replaceNode(text, mustFind(root, path), operation.value);
    case 'move':
      return move(text, { root, path, from: readPointer(operation.from) });
    case 'copy': {
      const value = textOf(text, mustFind(root, readPointer(operation.from)));
      return insertValue(text, root, { path, value });
    }
    case 'test':
      if (equalJson(mustFind(root, path), parseDocument(operation.value), { text, other: operation.value }))
        return text;
      throw new PatchError('The values differ.');
  }
}

type Move = { readonly root: Node; readonly path: readonly string[]; readonly from: readonly string[] };

function move(text: string, { root, path, from }: Move): string {
  const node = mustFind(root, from);
  const isInside = from.every((token, i) => path[i] === token);
  if (isInside && path.length === from.length) return text;
  if (isInside) throw new PatchError('A value cannot be moved into itself.');
  const without = removeNode(text, node);
  return insertValue(without, parseDocument(without), { path, value: textOf(text, node) });
}

function mustFind(root: Node, path: readonly string[]): Node {
  const node = findNode(root, path);
  if (node) return node;
  throw new PatchError(`There is no ${path.map((token) => `/${token}`).join('')}.`);
}

function textOf(text: string, { offset, length }: Node): string {
  return text.slice(offset, offset + length);
}
