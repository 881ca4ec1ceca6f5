import { type Node, type ParseError, parseTree } from 'jsonc-parser';

/** What stands in the place of what is hidden. */
export const hidden = '(hidden)';

/** Whether the paths name a header. */
export function isNamed(paths: readonly string[], header: string): boolean {
  return paths.some((path) => path.toLowerCase() === `headers.${header.toLowerCase()}`);
}

/** The way from the payload to each value in it that the paths name. */
export function listSteps(paths: readonly string[]): string[][] {
  return paths.filter((path) => path.startsWith('$')).map((path) => path.split('.').slice(1));
}

/** JSON text with the values at the ends of those ways hidden, and all else as it was written; undefined if it cannot be read. */
export function maskJson(json: string, ways: readonly (readonly string[])[]): string | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(json, errors, { disallowComments: true });
  if (!root || errors.length > 0) return undefined;
  const found = ways.flatMap((way) => findNodes([root], way));
  const places = found.sort((a, b) => a.offset - b.offset || b.length - a.length);
  const parts: string[] = [];
  let end = 0;
  for (const { offset, length } of places) {
    // What lies within something hidden is hidden already.
    if (offset < end) continue;
    parts.push(json.slice(end, offset), JSON.stringify(hidden));
    end = offset + length;
  }
  return [...parts, json.slice(end)].join('');
}

function findNodes(nodes: readonly Node[], [step, ...rest]: readonly string[]): Node[] {
  if (step === undefined) return [...nodes];
  return findNodes(
    nodes.flatMap((node) => listMembers(node, step)),
    rest,
  );
}

/** A name that is there twice is found twice. */
function listMembers({ type, children = [] }: Node, step: string): Node[] {
  if (type === 'array') return children.filter((_, index) => step === '*' || step === String(index));
  if (type !== 'object') return [];
  return children.flatMap(({ children: [key, value] = [] }) =>
    value && (step === '*' || key?.value === step) ? [value] : [],
  );
}
