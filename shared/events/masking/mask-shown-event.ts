import type { HeaderValue, Origin } from '../../message/event.ts';
import { isNamed, listSteps, maskJson } from './mask.ts';
import { findMask, listMasks, type MaskRules } from './mask-rules.ts';

/** The fields of a shown event that select its route or contain masked values. */
type ShownEvent = Origin & {
  readonly payloadEncoding: string;
  /** Null if they are too large to be shown. */
  readonly headers: Readonly<Record<string, HeaderValue>> | null;
};

/** What captures ignored may be any part of a message: it is masked with any part of it. */
const ignored = ['metadata', 'ignored', '*'];

/** The paths that are masked in a shown event, given its JSON text. */
export function maskOf(json: string, rules: MaskRules): readonly string[] {
  if (listMasks(rules).length === 0) return [];
  return findMask(rules, JSON.parse(json) as ShownEvent);
}

/**
 * The JSON text of an event with the values masked at the paths of its route; a payload that is not JSON is
 * masked as a whole.
 */
export function maskShownEvent(json: string, mask: readonly string[]): string {
  if (mask.length === 0) return json;
  const event = JSON.parse(json) as ShownEvent;
  return maskJson(json, [...listPayload(mask, event), ...listHeaders(mask, event), ignored]);
}

type ShownCapture = {
  readonly facts: { readonly headers?: Readonly<Record<string, HeaderValue>> } | null;
};

/** The same of a capture of that event. Its bytes may have another form: they are masked as a whole. */
export function maskShownCapture(json: string, mask: readonly string[]): string {
  if (mask.length === 0) return json;
  const { facts } = JSON.parse(json) as ShownCapture;
  const content = mask.some((path) => path.startsWith('$')) ? [['bodyBase64']] : [];
  const said = [...listHeaders(mask, { headers: facts?.headers ?? null }), ignored];
  return maskJson(json, [...content, ...said.map((path) => ['facts', ...path])]);
}

/** The exact bytes repeat the payload: they are masked with any part of it. */
function listPayload(mask: readonly string[], { payloadEncoding }: ShownEvent): string[][] {
  const inPayload = payloadEncoding === 'json' ? listSteps(mask) : listSteps(mask).map(() => []);
  return inPayload.flatMap((steps) => [['payload', ...steps], ['bodyBase64']]);
}

function listHeaders(mask: readonly string[], { headers }: Pick<ShownEvent, 'headers'>): string[][] {
  return Object.keys(headers ?? {}).flatMap((name) => (isNamed(mask, name) ? [['headers', name]] : []));
}
