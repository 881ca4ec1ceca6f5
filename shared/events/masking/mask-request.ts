import { messageFacts } from '../../delivery/leased-event.ts';
import { readPointer } from '../../json/json-nodes.ts';
import { isObject } from '../../json/parse-json.ts';
import { type FilterField, fields } from '../filter/filter-fields.ts';
import type { Filter } from '../filter/filter-schema.ts';
import type { Json } from '../filter/json-schema.ts';
import { hidden, isNamed, listSteps, maskJson, type Steps } from './mask.ts';

/** Whether a field compares a part of messages that a mask may hide. All see the number of bytes. */
function readsMasked({ sql }: FilterField, path: string): boolean {
  const hides = path.startsWith('$') ? /event\.(payload|body|metadata)\b/ : /event\.(headers|metadata)\b/;
  return sql.some((each) => each !== messageFacts.bytes && hides.test(each));
}

/** A filter that an operator wrote, with the values hidden that it compares at masked paths. */
export function maskFilter(filter: Filter, paths: readonly string[]): Filter {
  const masked = fields.flatMap((field) => {
    const value = filter[field.name];
    const about = paths.filter((path) => readsMasked(field, path));
    return value === undefined || about.length === 0 ? [] : [[field.name, hide(field.kind, value, about)]];
  });
  return { ...filter, ...Object.fromEntries(masked) };
}

function hide({ name, takes }: FilterField['kind'], value: unknown, paths: readonly string[]): unknown {
  if (name !== 'contains' || typeof value !== 'object' || value === null)
    return { one: hidden, many: [hidden], bounds: {} }[takes];
  // An array of a filter matches elements at any index.
  const steps = listSteps(paths).map((path) => path.map((step) => (/^\d+$/.test(step) ? '*' : step)));
  const headers = Object.keys(value).filter((header) => isNamed(paths, header));
  return maskValue(value, [...steps, ...headers.map((header) => [header])]);
}

/** Whether values of a filter or a patch are hidden, so that it does other than the action that it was of. */
export function isHidden(request: unknown): boolean {
  return (JSON.stringify(request) ?? '').includes(JSON.stringify(hidden));
}

function maskValue(value: unknown, steps: Steps): Json {
  return JSON.parse(maskJson(JSON.stringify(value), steps));
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
