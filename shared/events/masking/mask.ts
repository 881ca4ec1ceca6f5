import { type Node, type ParseError, parseTree } from 'jsonc-parser';

/** The text in place of a masked value. */
export const hidden = '(hidden)';

/** Whether the paths name a header. */
export function isNamed(paths: readonly string[], header: string): boolean {
  return paths.some((path) => path.toLowerCase() === `headers.${header.toLowerCase()}`);
}

/** The steps from the payload to each value in it that the paths name. */
export function listSteps(paths: readonly string[]): string[][] {
  return paths.filter((path) => path.startsWith('$')).map((path) => path.split('.').slice(1));
}

/** JSON text with the values at these paths masked and every other byte unchanged; undefined if it is not JSON. */
export function maskJson(json: string, paths: readonly (readonly string[])[]): string | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(json, errors, { disallowComments: true });
  if (!root || errors.length > 0) return undefined;
  const found = paths.flatMap((steps) => findNodes([root], steps));
  const sorted = found.sort((a, b) => a.offset - b.offset || b.length - a.length);
  const pieces: string[] = [];
  let end = 0;
  for (const { offset, length } of sorted) {
    // It lies within a value that is masked already.
    if (offset < end) continue;
    pieces.push(json.slice(end, offset), JSON.stringify(hidden));
    end = offset + length;
  }
  return [...pieces, json.slice(end)].join('');
}

function findNodes(nodes: readonly Node[], [step, ...rest]: readonly string[]): Node[] {
  if (step === undefined) return [...nodes];
  return findNodes(
    nodes.flatMap((node) => listMembers(node, step)),
    rest,
  );
}

/** A repeated name is found each time. */
function listMembers({ type, children = [] }: Node, step: string): Node[] {
  if (type === 'array') return children.filter((_, index) => step === '*' || step === String(index));
  if (type !== 'object') return [];
  return children.flatMap(({ children: [key, value] = [] }) =>
    value && (step === '*' || key?.value === step) ? [value] : [],
  );
}
