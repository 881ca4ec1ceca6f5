import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { OfficeError } from '../../../../shared/errors.ts';

/** A patch does not fit a document. The message says where. */
export class PatchError extends OfficeError {
  readonly code = 'PATCH_DOES_NOT_APPLY';
}

/** The places of all values in JSON text. Throws PatchError where it is none. */
export function parseDocument(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseStrictly(text, errors);
  if (!root || errors.length > 0) throw new PatchError('It is not JSON.');
  return root;
}

function parseStrictly(text: string, errors: ParseError[]): Node | undefined {
  try {
    // The tree is built leniently, by recursion; whether it is JSON at all is better known here.
    JSON.parse(text);
    return parseTree(text, errors, { disallowComments: true });
  } catch (error) {
    if (error instanceof RangeError) throw new PatchError('It is nested too deeply.');
    return undefined;
  }
}

/** The tokens of a JSON Pointer (RFC 6901). */
export function readPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a path, or undefined. Throws PatchError where a name on the way stands twice: which one is meant? */
export function findNode(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, token) => node && findChild(node, token), root);
}

/** A member's value, or an element. */
export function findChild({ type, children = [] }: Node, token: string): Node | undefined {
  if (type === 'array') return /^(0|[1-9]\d*)$/.test(token) ? children[Number(token)] : undefined;
  if (type !== 'object') return undefined;
  const members = children.filter((member) => member.children?.[0]?.value === token);
  if (members.length > 1) throw new PatchError(`There are ${members.length} members "${token}".`);
  return members[0]?.children?.[1];
}
