import { isObject } from '../../json/parse-json.ts';
import type { HeaderValue, Origin } from '../../message/event.ts';
import { hidden, isNamed, listSteps, maskJson } from './mask.ts';
import { isAround } from './mask-request.ts';
import { findMask, listMasks, type MaskRules } from './mask-rules.ts';

/** The fields of a shown event that select its route or contain masked values. */
type ShownEvent = Origin & {
  readonly payloadEncoding: string;
  /** Null if they are too large to be shown. */
  readonly headers: Readonly<Record<string, HeaderValue>> | null;
  readonly metadata?: unknown;
};

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
  const ignored = listIgnored(mask, event.metadata).map((path) => ['metadata', ...path]);
  return maskPaths(json, [...listPayload(mask, event), ...listHeaders(mask, event), ...ignored]);
}

type ShownCapture = {
  readonly facts: {
    readonly headers?: Readonly<Record<string, HeaderValue>>;
    readonly metadata?: unknown;
  } | null;
};

/**
 * The JSON text of a capture of that event, likewise. Its bytes may have another form: they are masked as a
 * whole.
 */
export function maskShownCapture(json: string, mask: readonly string[]): string {
  if (mask.length === 0) return json;
  const { facts } = JSON.parse(json) as ShownCapture;
  const content = mask.some((path) => path.startsWith('$')) ? [['bodyBase64']] : [];
  const said = [
    ...listHeaders(mask, { headers: facts?.headers ?? null }),
    ...listIgnored(mask, facts?.metadata).map((path) => ['metadata', ...path]),
  ];
  return maskPaths(json, [...content, ...said.map((path) => ['facts', ...path])]);
}

function maskPaths(json: string, paths: readonly (readonly string[])[]): string {
  return paths.length === 0 ? json : (maskJson(json, paths) ?? JSON.stringify(hidden));
}

/** The exact bytes repeat the payload: they are masked with any part of it. */
function listPayload(mask: readonly string[], { payloadEncoding }: ShownEvent): string[][] {
  const inPayload = payloadEncoding === 'json' ? listSteps(mask) : listSteps(mask).map(() => []);
  return inPayload.flatMap((steps) => [['payload', ...steps], ['bodyBase64']]);
}

function listHeaders(mask: readonly string[], { headers }: Pick<ShownEvent, 'headers'>): string[][] {
  return Object.keys(headers ?? {}).flatMap((name) => (isNamed(mask, name) ? [['headers', name]] : []));
}

/**
 * The paths below the metadata of an event to members that its capture ignored, and that are masked: as
 * members of the message, of its payload, or of its headers.
 */
function listIgnored(mask: readonly string[], metadata: unknown): string[][] {
  const ignored = isObject(metadata) && isObject(metadata.ignored) ? Object.keys(metadata.ignored) : [];
  return ignored.flatMap((name) => {
    const tokens = readTokens(name);
    const steps = listSteps(mask).flatMap((each) => [each, ['payload', ...each]]);
    const ofHeaders = mask.flatMap((path) =>
      path.startsWith('headers.') ? [splitHeader(path, tokens)] : [],
    );
    return [...steps, ...ofHeaders]
      .filter((each) => isAround(each, tokens))
      .map((each) => ['ignored', name, ...each.slice(tokens.length)]);
  });
}

/** `headers["a.b"].c` has the tokens `headers`, `a.b` and `c`. */
function readTokens(path: string): string[] {
  return [...path.matchAll(/\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain : String(JSON.parse(quoted)),
  );
}

/** The steps to a header, under the name that an ignored member has. */
function splitHeader(path: string, [, name = '']: readonly string[]): string[] {
  const own = path.slice('headers.'.length);
  return ['headers', isNamed([path], name) ? name : own];
}
