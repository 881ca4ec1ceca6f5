import type { IncomingHttpHeaders } from 'node:http';
import type * as v from 'valibot';
import type { ConsoleUser } from '../../identity/identify-user.ts';
import { type DescribedRequest, readRequest, type Schemas, type SentValues } from './read-request.ts';

/** The caller of a request, and the parts that no schema describes. */
type Sent = {
  readonly headers: IncomingHttpHeaders;
  /** The body as it was sent: JSON.parse rounds large numbers. */
  readonly text: string;
  readonly caller: ConsoleUser;
  readonly now: Date;
};

/** A request of an authenticated caller. */
export type SentRequest = Sent & SentValues;

/** The same as an operation sees it: what its schemas describe is valid. */
export type ApiRequest<Params = unknown, Query = unknown, Body = unknown> = Sent & {
  /** The values of `{id}` and the like in the path. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
};

/**
 * A response: a value, JSON text from PostgreSQL, whose numbers keep all their digits, or a stream of lines.
 */
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

/** An operation in the OpenAPI document: its texts, and the schemas of its request and its response. */
export type OperationDescription = DescribedRequest & {
  readonly summary: string;
  readonly description?: string;
  readonly headers?: Schemas;
  /** The body of a success. Failures are described once for all operations. */
  readonly returns: v.GenericSchema;
  /** The statuses of a success; 200 by default. */
  readonly statuses?: readonly number[];
  /** The media types of a success; JSON by default. */
  readonly types?: readonly string[];
};

/** The implementation of a method of a path, and its description in the OpenAPI document. */
export type Operation<Deps> = {
  readonly description: OperationDescription;
  readonly handle: (deps: Deps, request: SentRequest) => Promise<ApiResponse>;
};

type Values<Entries> = Entries extends v.ObjectEntries
  ? v.InferOutput<v.StrictObjectSchema<Entries, undefined>>
  : unknown;
type Value<Schema> = Schema extends v.GenericSchema ? v.InferOutput<Schema> : unknown;
type RequestOf<D extends OperationDescription> = ApiRequest<
  Values<D['params']>,
  Values<D['query']>,
  Value<D['body']>
>;

/** Makes an operation; the compiler compares `handle` with the described request and response. */
export function operation<Deps, const Described extends OperationDescription>(
  description: Described,
  handle: (deps: Deps, request: RequestOf<Described>) => Promise<ApiResponse<Value<Described['returns']>>>,
): Operation<Deps> {
  return {
    description,
    handle: (deps, request) =>
      handle(deps, { ...request, ...readRequest(description, request) } as RequestOf<Described>),
  };
}

/** Imports an operation. */
export type Load<Deps> = () => Promise<Operation<Deps>>;

/** An operation of an API, at a path such as `/events/{id}`; `id` names it in the OpenAPI document. */
export type Route<Deps> = readonly [method: 'get' | 'post', path: string, id: string, load: Load<Deps>];
