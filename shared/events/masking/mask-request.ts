import { readPointer } from '../../json/json-nodes.ts';
import { isObject } from '../../json/parse-json.ts';
import type { Filter } from '../filter/filter-schema.ts';
import type { Json } from '../filter/json-schema.ts';
import { hidden, listSteps, maskHeaders, maskJson } from './mask.ts';

/**
 * A filter that an operator wrote, with the values hidden that it compares at masked paths. An array of a
 * filter matches elements at any index.
 */
export function maskFilter(filter: Filter, paths: readonly string[]): Filter {
  const steps = listSteps(paths).map((path) => path.map((step) => (/^\d+$/.test(step) ? '*' : step)));
  const { payload, payloadText, mention, anywhere, headers } = filter;
  return {
    ...filter,
    ...(payload !== undefined && steps.length > 0 && { payload: maskPayload(payload, steps) }),
    ...(payloadText !== undefined && steps.length > 0 && { payloadText: hidden }),
    ...(mention && paths.length > 0 && { mention: [hidden] }),
    ...(anywhere && paths.length > 0 && { anywhere: [hidden] }),
    ...(isObject(headers) && { headers: maskHeaders(headers, paths) }),
  };
}

/** Whether values of a filter or a patch are hidden, so that it does other than the action that it was of. */
export function isHidden(request: unknown): boolean {
  return (JSON.stringify(request) ?? '').includes(JSON.stringify(hidden));
}

type Steps = readonly (readonly string[])[];

/** A payload that is no object or array is compared as a whole. */
function maskPayload(payload: Json, steps: Steps): Json {
  return typeof payload === 'object' && payload !== null ? maskValue(payload, steps) : hidden;
}

function maskValue(value: unknown, steps: Steps): Json {
  return JSON.parse(maskJson(JSON.stringify(value), steps) ?? JSON.stringify(hidden));
}

/** The operations of a patch, with the values hidden that it writes or tests at masked paths. */
export function maskPatch(patch: readonly unknown[], paths: readonly string[]): unknown[] {
  const steps = listSteps(paths);
  return patch.map((operation) => {
    if (!isObject(operation) || !('value' in operation) || typeof operation.path !== 'string')
      return operation;
    const tokens = readPointer(operation.path);
    const rest = steps.filter((each) => isAround(each, tokens)).map((each) => each.slice(tokens.length));
    return rest.length === 0 ? operation : { ...operation, value: maskValue(operation.value, rest) };
  });
}

/** Whether a masked value is at, in or around this place; other operations may move it to another index. */
export function isAround(steps: readonly string[], tokens: readonly string[]): boolean {
  return steps.every((step, i) => {
    const token = tokens[i];
    return (
      token === undefined || step === '*' || step === token || (/^\d+$/.test(step) && /^(\d+|-)$/.test(token))
    );
  });
}

/** The details of an action for the audit, with its filter and patch masked. */
export function maskDetails<Details extends object>(details: Details, paths: readonly string[]): Details {
  if (paths.length === 0) return details;
  const { filter, patch } = details as { filter?: unknown; patch?: unknown };
  return {
    ...details,
    ...(isObject(filter) && { filter: maskFilter(filter as Filter, paths) }),
    ...(Array.isArray(patch) && { patch: maskPatch(patch, paths) }),
  };
}
