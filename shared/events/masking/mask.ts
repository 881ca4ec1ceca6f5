import { parseJson } from '../../json/parse-json.ts';
import { sliceItems } from '../../json/slice-json.ts';

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
  return Buffer.from(isJson ? maskJson(body.toString('utf8'), inPayload) : JSON.stringify(hidden));
}

/** The steps to each of some values. */
export type Steps = readonly (readonly string[])[];

/** JSON with the values at these paths masked and every other byte unchanged; what is none as a whole. */
export function maskJson(json: string, paths: Steps): string {
  if (parseJson(json) === undefined) return JSON.stringify(hidden);
  const whole = Buffer.from(json);
  let from = 0;
  const pieces = findMasked(whole, paths).map((value) => {
    const start = value.byteOffset - whole.byteOffset;
    const before = whole.toString('utf8', from, start);
    from = start + value.length;
    return before + JSON.stringify(hidden);
  });
  return [...pieces, whole.toString('utf8', from)].join('');
}

/** The values at these paths, as slices of the JSON. A repeated name is found each time. */
function findMasked(json: Buffer, paths: Steps): Buffer[] {
  if (paths.some(({ length }) => length === 0)) return [json];
  return sliceItems(json).flatMap(({ name, value }, i) => {
    const steps = paths.flatMap(([first, ...rest]) =>
      first === '*' || first === (name ?? `${i}`) ? [rest] : [],
    );
    return steps.length === 0 ? [] : findMasked(value, steps);
  });
}
