import { readPointer } from '../../json/json-nodes.ts';
import { listValue } from '../../json/list-value.ts';
import { toText } from '../column-values.ts';
import { type FormContent, readForm } from '../form.ts';
import { type Headers, readHeader } from '../header-values.ts';

/** A message, with the headers and the query of its request, where places are. */
export type Placed = {
  readonly headers: Headers;
  readonly json?: unknown;
  readonly form?: FormContent;
  readonly query?: URLSearchParams;
};

/**
 * The text at places, joined: `header:NAME`, `query:NAME`, or `json:/POINTER` and `form:/FIELD/POINTER` (RFC
 * 6901). `A | B` is the first that has a text. Null if the first place has none; later ones may be absent.
 */
export function readPlaces(
  places: readonly string[] | undefined,
  placed: Placed,
  joint = '/',
): string | null {
  const texts = (places ?? []).map((place) => {
    const each = place.split(' | ').map((alternative) => readPlace(alternative, placed));
    return each.find((text) => text !== null) ?? null;
  });
  return (texts[0] ?? null) === null ? null : texts.filter((text) => text !== null).join(joint);
}

function readPlace(place: string, { headers, json, form, query }: Placed): string | null {
  const kind = place.slice(0, place.indexOf(':'));
  const at = place.slice(kind.length + 1);
  if (kind === 'header') return readHeader(headers, at);
  if (kind === 'query') return toText(query?.get(at));
  const tokens = readPointer(at);
  const [value] = kind === 'json' ? listValue(json, tokens) : form ? readForm(form, tokens) : [];
  return toText(value);
}
