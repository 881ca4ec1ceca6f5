import { isObject, printJson } from '../../json/parse-json.ts';
import { sliceMembers } from '../../json/slice-json.ts';
import type { HeaderValue } from '../../message/event.ts';
import { listValues, maxHeaders, type SingleValue, toHeaderValue } from '../header-values.ts';
import type { Opened } from '../message.ts';
import type { CompiledPlace } from './places.ts';

/**
 * Values by name, `{"key" or "name", "value"}` in a list, or names and values in turn. A header without a
 * value is kept as an empty one: the order of values of one name is significant. None if the place is empty;
 * undefined for another form.
 */
export function readHeaders(place: CompiledPlace, opened: Opened): Record<string, HeaderValue> | undefined {
  const pairs = listPairs(place.raw(opened)[0] ?? {}, () => place.slice(opened));
  const headers = new Map<string, HeaderValue>();
  for (const pair of pairs ?? []) {
    const own = listOwn(place, pair);
    if (typeof pair.name !== 'string' || !own) return undefined;
    const [first, ...others] = [...listValues(headers.get(pair.name)), ...own];
    if (first !== undefined) headers.set(pair.name, others.length === 0 ? first : [first, ...others]);
  }
  return pairs && Object.fromEntries(headers);
}

function listOwn({ convert }: CompiledPlace, { value, slice }: Pair): SingleValue[] | undefined {
  if ((value ?? null) === null) return [''];
  const read = convert(value, slice);
  if (read === undefined) return undefined;
  const all = [read].flat() as (string | Buffer | null)[];
  const told = all.filter((each) => each !== null);
  return told.map((each) => (typeof each === 'string' ? each : toHeaderValue(each)));
}

type Pair = { readonly name: unknown; readonly value: unknown; readonly slice: () => string };

/** The text of a value is only looked for if it is asked for. */
function listPairs(json: unknown, slice: () => string): readonly Pair[] | undefined {
  let sliced: ReadonlyMap<string, string>[] | undefined;
  const sliceValue = (i: number, name: string, value: unknown) => () => {
    sliced ??= sliceMembers(slice());
    return sliced[i]?.get(name) ?? printJson(value);
  };
  if (isObject(json)) {
    return Object.entries(json).map(([name, value]) => ({ name, value, slice: sliceValue(0, name, value) }));
  }
  if (!Array.isArray(json)) return undefined;
  // Those beyond show that there are too many.
  const list = json.slice(0, 2 * maxHeaders + 2);
  if (list.every(isObject)) {
    return list.map(({ key, name, value }, i) => ({
      name: key ?? name,
      value,
      slice: sliceValue(i, 'value', value),
    }));
  }
  const pairs = list.flatMap((name, i) =>
    i % 2 === 0 ? [{ name, value: list[i + 1], slice: () => '' }] : [],
  );
  return list.length % 2 === 0 ? pairs : undefined;
}
