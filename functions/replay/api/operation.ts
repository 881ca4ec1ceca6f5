import type { IncomingHttpHeaders } from 'node:http';
import * as v from 'valibot';
import type { RetryConfig } from '../../../shared/config/retry.ts';
import { check, checkAll, unwrap } from '../../../shared/config/validate.ts';
import { wholeNumberText } from '../../../shared/config/whole-number.ts';
import { InputError } from '../../../shared/errors.ts';
import { EventIdSchema } from '../../../shared/events/event-id.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { described } from '../../../shared/response-values.ts';
import type { ConsoleUser } from '../../identity/identify-user.ts';

/** The dependencies of operations. */
export type ApiDeps = ReplayDeps & { readonly retry: RetryConfig<'replay'> };

/** The caller of a request, and the parts that no schema describes. */
type Sent = {
  readonly headers: IncomingHttpHeaders;
  /** The body as it was sent: JSON.parse rounds large numbers. */
  readonly text: string;
  readonly caller: ConsoleUser;
  readonly now: Date;
};

/** A request of an authenticated caller, with its values as they were sent; `body` may be undefined. */
export type SentRequest = Sent & {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

/** A value, JSON text from PostgreSQL, whose numbers keep all their digits, or a stream of lines. */
export type ApiResponse<Body = unknown> = (
  | { readonly body: Body }
  | { readonly json: string }
  | { readonly lines: AsyncGenerator<string> }
) & {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Part of an OpenAPI document, as that specification defines it. */
export type Description = { readonly [name: string]: unknown };

/** Parameters by name. */
export type Schemas = Readonly<Record<string, v.GenericSchema>>;

/** An operation in the OpenAPI document: its texts, and the schemas of its request and its response. */
export type OperationDescription = {
  readonly summary: string;
  readonly description?: string;
  /** The parameters of its path, in their order. */
  readonly params?: Schemas;
  readonly query?: Schemas;
  readonly headers?: Schemas;
  readonly body?: v.GenericSchema;
  /** The body of a success. Failures are described once for all operations. */
  readonly returns: v.GenericSchema;
  /** The statuses of a success; 200 by default. */
  readonly statuses?: readonly number[];
  /** The media types of a success; JSON by default. */
  readonly types?: readonly string[];
};

/** The implementation of a method of a path, and its description in the OpenAPI document. */
export type Operation = {
  readonly description: OperationDescription;
  readonly handle: (deps: ApiDeps, request: SentRequest) => Promise<ApiResponse>;
};

type Values<Entries> = Entries extends v.ObjectEntries
  ? v.InferOutput<v.StrictObjectSchema<Entries, undefined>>
  : unknown;
type Value<Schema> = Schema extends v.GenericSchema ? v.InferOutput<Schema> : unknown;
/** A request as an operation sees it: what its schemas describe is valid. */
type RequestOf<D extends OperationDescription> = Sent & {
  readonly params: Values<D['params']>;
  readonly query: Values<D['query']>;
  readonly body: Value<D['body']>;
};

/** Makes an operation; the compiler compares `handle` with the described request and response. */
export function operation<const Described extends OperationDescription>(
  description: Described,
  handle: (deps: ApiDeps, request: RequestOf<Described>) => Promise<ApiResponse<Value<Described['returns']>>>,
): Operation {
  return {
    description,
    handle: (deps, request) =>
      handle(deps, { ...request, ...readRequest(description, request) } as RequestOf<Described>),
  };
}

/** Imports an operation. */
export type Load = () => Promise<Operation>;

/** An operation of an API, at a path such as `/events/{id}`; `id` names it in the OpenAPI document. */
export type Route = readonly [method: 'get' | 'post', path: string, id: string, load: Load];

/** A text that is one of several. */
export const oneOf = <const Texts extends readonly [string, ...string[]]>(texts: Texts) =>
  v.picklist(texts, `Use one of ${texts.join(', ')}.`);

/** Returns the valid values of a request. Throws InputError; a repeated parameter is a problem. */
function readRequest(expected: OperationDescription, { params, query, body }: SentRequest) {
  const { body: bodySchema = v.unknown() } = expected;
  const checked = checkAll({
    params: check(v.object({ ...expected.params }), params),
    query: check(v.strictObject({ ...expected.query }), Object.fromEntries(query)),
    body: check(bodySchema, body === undefined && v.is(bodySchema, {}) ? {} : body),
  });
  const names = [...new Set(query.keys())].filter((name) => query.getAll(name).length > 1);
  const repeated = names.map((field) => ({ field, value: query.getAll(field), remedy: 'Give it once.' }));
  if (repeated.length > 0) throw new InputError([...repeated, ...(checked.ok ? [] : checked.problems)]);
  return unwrap(checked);
}

/** The id of an event, a run or an entry of the audit in a path: all have one form. */
export const idOf = (what: string) => described(EventIdSchema, `The id of ${what}.`);

const cursorRemedy = 'Give the "next" of the page before, as it is, or leave it out.';

/** The query parameters of every list. */
export const pageQuery = {
  limit: v.optional(described(wholeNumberText(1, 500), 'The items of a page.'), '50'),
  cursor: cursorOf((position) => v.is(EventIdSchema, position)),
};

/** The position behind which a page starts: an id, or another text that `isPosition` accepts. */
export function cursorOf(isPosition: (text: string) => boolean) {
  const position = v.pipe(v.string(), v.check(isPosition, cursorRemedy));
  return v.optional(described(position, 'The `next` of the page before.'));
}

/**
 * A page of `limit` items. `rows` has one more if there is a next page: `next` is then the position of the
 * last item, which `print` prints, by default its id.
 */
export function toPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  print = ({ id }: Row) => id,
) {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? print(last) : null };
}

/** The response schema of a list. */
export function pageOf<Item extends v.GenericSchema>(item: Item) {
  const next = described(v.nullable(v.string()), 'The cursor of the next page; null on the last.');
  return v.strictObject({ items: v.array(item), next });
}
