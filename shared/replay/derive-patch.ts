import type { Node } from 'jsonc-parser';
import type { Operation } from '../json/apply-patch.ts';
import { equalJson } from '../json/equal-json.ts';
import { indexMembers, PatchError, parseDocument } from '../json/json-nodes.ts';

type Texts = { readonly text: string; readonly other: string };

/** A patch accepts this many operations. */
const maxOperations = 100;

/**
 * Derives the JSON Patch (RFC 6902) that makes the same change to other messages: a value is replaced only
 * where it is the same as before, and a member that got another name keeps the value of each message. Returns
 * its JSON; undefined if the messages are not JSON, are equal, or differ too much.
 */
export function derivePatch(before: string, after: string): string | undefined {
  try {
    const texts = { text: before, other: after };
    const operations = diffNodes(parseDocument(before), parseDocument(after), { path: '', texts });
    if (operations.length === 0 || operations.length > maxOperations) return undefined;
    return `[${operations.map(printOperation).join(',')}]`;
  } catch (error) {
    if (error instanceof PatchError) return undefined;
    throw error;
  }
}

type At = { readonly path: string; readonly texts: Texts };

function diffNodes(a: Node, b: Node, { path, texts }: At): Operation[] {
  if (a.type === 'object' && b.type === 'object') return compareMembers(a, b, { path, texts });
  const [own = [], others = []] = [a.children, b.children];
  if (a.type === 'array' && b.type === 'array' && own.length === others.length) {
    return own.flatMap((child, i) => diffNodes(child, others[i] ?? child, { path: `${path}/${i}`, texts }));
  }
  if (equalJson(a, b, texts)) return [];
  return [
    { op: 'test', path, value: textOf(a, texts.text) },
    { op: 'replace', path, value: textOf(b, texts.other) },
  ];
}

function compareMembers(a: Node, b: Node, { path, texts }: At): Operation[] {
  const [before, after] = [indexMembers(a), indexMembers(b)];
  const pathOf = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const removed = new Map([...before].filter(([name]) => !after.has(name)));
  const added = [...after].filter(([name]) => !before.has(name));
  const additions = added.map(([name, value]): Operation => {
    const [from] = [...removed].find(([, old]) => equalJson(old, value, texts)) ?? [];
    if (from === undefined) return { op: 'add', path: pathOf(name), value: textOf(value, texts.other) };
    removed.delete(from);
    return { op: 'move', from: pathOf(from), path: pathOf(name) };
  });
  const changes = [...before].flatMap(([name, value]) => {
    const changed = after.get(name);
    return changed ? diffNodes(value, changed, { path: pathOf(name), texts }) : [];
  });
  const removals = [...removed.keys()].map((name): Operation => ({ op: 'remove', path: pathOf(name) }));
  return [...changes, ...additions, ...removals];
}

function textOf({ offset, length }: Node, text: string): string {
  return text.slice(offset, offset + length);
}

/** Values stay text: numbers keep all their digits. */
function printOperation(operation: Operation): string {
  if (!('value' in operation)) return JSON.stringify(operation);
  const { value, ...others } = operation;
  return `${JSON.stringify(others).slice(0, -1)},"value":${value}}`;
}
