import { readPointer } from '../../json/json-nodes.ts';
import { listValue } from '../../json/list-value.ts';
import { toText } from '../column-values.ts';
import { type Headers, readHeader } from '../header-values.ts';

/** A message, and the headers of its request where places are. */
export type Placed = { readonly headers: Headers; readonly json: unknown };

/**
 * The text at places, joined: `header:NAME`, or `json:/POINTER` (RFC 6901). Null if the first has no text; later ones may be
 * absent.
 */
export function readPlaces(
  places: readonly string[] | undefined,
  placed: Placed,
  joint = '/',
): string | null {
  const texts = (places ?? []).map((place) => readPlace(place, placed));
  return (texts[0] ?? null) === null ? null : texts.filter((text) => text !== null).join(joint);
}

function readPlace(place: string, { headers, json }: Placed): string | null {
  if (place.startsWith('header:')) return readHeader(headers, place.slice('header:'.length));
  const [value] = listValue(json, readPointer(place.slice('json:'.length)));
  return toText(value);
}
