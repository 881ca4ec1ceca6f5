import { type Node, parseTree } from 'jsonc-parser';
import { DeadLetterError } from '../errors.ts';

/** A patch does not apply to a document. The message names the reason. */
export class PatchError extends DeadLetterError {
  readonly code = 'PATCH_DOES_NOT_APPLY';
}

/** Parses JSON text into nodes: each value with its offset and length in the text. Throws PatchError. */
export function parseDocument(text: string): Node {
  try {
    // parseTree accepts more than JSON, and recurses.
    JSON.parse(text);
    const root = parseTree(text);
    if (root) return root;
  } catch (error) {
    if (error instanceof RangeError) throw new PatchError('It is nested too deeply.');
  }
  throw new PatchError('It is not JSON.');
}

/** The tokens of a JSON Pointer (RFC 6901). */
export function readPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The value at a path, or undefined. Throws PatchError if the path is ambiguous because an object repeats a
 * name.
 */
export function findNode(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, token) => node && findChild(node, token), root);
}

/** The values of an object's members by name. Throws PatchError for a repeated name. */
export function indexMembers({ children = [] }: Node): ReadonlyMap<string, Node> {
  const members = new Map<string, Node>();
  for (const { children: [key, value] = [] } of children) {
    if (!key || !value) continue;
    if (members.has(key.value)) throw new PatchError(`There are several members "${key.value}".`);
    members.set(key.value, value);
  }
  return members;
}

/**
 * The value of an object's member or an array's element, or undefined. Throws PatchError for a repeated name.
 */
export function findChild({ type, children = [] }: Node, token: string): Node | undefined {
  if (type === 'array') return /^(0|[1-9]\d*)$/.test(token) ? children[Number(token)] : undefined;
  if (type !== 'object') return undefined;
  const members = children.filter((member) => member.children?.[0]?.value === token);
  if (members.length > 1) throw new PatchError(`There are ${members.length} members "${token}".`);
  return members[0]?.children?.[1];
}
