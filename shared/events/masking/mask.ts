import { createScanner } from 'jsonc-parser';
import { parseJson } from '../../json/parse-json.ts';
import { scan, skipValue } from '../../json/slice-json.ts';

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

/** Headers with the values masked that the paths name, in any case. */
export function maskHeaders<Value>(headers: Readonly<Record<string, Value>>, paths: readonly string[]) {
  const shown = Object.entries(headers).map(([name, value]) => [name, isNamed(paths, name) ? hidden : value]);
  return Object.fromEntries(shown) as Readonly<Record<string, Value | typeof hidden>>;
}

/** A body with the values masked that the paths name; a body that is not JSON is masked as a whole. */
export function maskBody(
  { body, isJson }: { readonly body: Buffer; readonly isJson: boolean },
  paths: readonly string[],
): Buffer {
  const inPayload = listSteps(paths);
  if (inPayload.length === 0) return body;
  const masked = isJson ? maskJson(body.toString('utf8'), inPayload) : undefined;
  return Buffer.from(masked ?? JSON.stringify(hidden));
}

/** The steps to each of some values. */
export type Steps = readonly (readonly string[])[];

/**
 * An object or array around the scanner: the steps from it to masked values, and the key or index of its next
 * value.
 */
type Container = {
  readonly steps: Steps;
  readonly isObject: boolean;
  key?: string | undefined;
  index: number;
};

/**
 * JSON text with the values at these paths masked and every other byte unchanged; undefined if it is not
 * JSON.
 */
export function maskJson(json: string, paths: Steps): string | undefined {
  if (parseJson(json) === undefined) return undefined;
  let from = 0;
  const pieces = findSpans(json, paths).map(([start, end]) => {
    const before = json.slice(from, start);
    from = end;
    return before + JSON.stringify(hidden);
  });
  return [...pieces, json.slice(from)].join('');
}

/**
 * The start and end of each value at these paths. Scans without recursion, because senders choose the depth
 * of nesting.
 */
function findSpans(json: string, paths: Steps): [start: number, end: number][] {
  const scanner = createScanner(json, true);
  const containers: Container[] = [];
  const spans: [number, number][] = [];
  const readValue = (token: string, steps: Steps) => {
    const start = scanner.getTokenOffset();
    if (steps.some(({ length }) => length === 0)) {
      skipValue(json, scanner);
      spans.push([start, scanner.getTokenOffset() + scanner.getTokenLength()]);
    } else if (token === '{' || token === '[') {
      containers.push({ steps, isObject: token === '{', index: 0 });
    }
  };
  for (let token = scan(json, scanner); token !== undefined; token = scan(json, scanner)) {
    const container = containers.at(-1);
    if (token === '}' || token === ']') containers.pop();
    else if (token === ',' && container) container.index++;
    else if (container?.isObject && container.key === undefined) container.key = scanner.getTokenValue();
    else if (token !== ':') readValue(token, stepInto(container, paths));
  }
  return spans;
}

/** The steps from the next value of a container to masked values. A repeated name is found each time. */
function stepInto(container: Container | undefined, paths: Steps): Steps {
  if (!container) return paths;
  const { steps, isObject, index } = container;
  const step = isObject ? container.key : String(index);
  container.key = undefined;
  return steps.flatMap(([first, ...rest]) => (first === '*' || first === step ? [rest] : []));
}
