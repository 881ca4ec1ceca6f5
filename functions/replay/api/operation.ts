import type { IncomingHttpHeaders } from 'node:http';
import type * as v from 'valibot';
import type { ConsoleUser } from '../../identity/identify-user.ts';

/** A request as the operations of the API see it: its caller is authenticated, and its body is JSON. */
export type ApiRequest = {
  /** The values of `{id}` and the like in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the request has none. */
  readonly body: unknown;
  /** The body as it was sent: JSON.parse rounds large numbers. */
  readonly text: string;
  readonly caller: ConsoleUser;
  readonly now: Date;
};

/** A response: a value, JSON text from PostgreSQL, whose numbers keep all their digits, or a stream of lines. */
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

type Schemas = Readonly<Record<string, v.GenericSchema>>;

/** An operation in the OpenAPI document: its texts, and the schemas of its request and its responses. */
export type OperationDescription = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: 'events' | 'groups' | 'runs' | 'targets' | 'schedule' | 'audit' | 'replay';
  /** The parameters of its path, in their order. */
  readonly params?: Schemas;
  readonly query?: { readonly entries: Schemas };
  readonly headers?: Schemas;
  readonly body?: v.GenericSchema;
  /** Responses by status. Failures are described once for all operations. */
  readonly responses: Readonly<Record<number, DescribedResponse>>;
};

export type DescribedResponse<Schema extends v.GenericSchema = v.GenericSchema> = {
  readonly description: string;
  readonly schema: Schema;
  /** Media types; JSON by default. */
  readonly types?: readonly string[];
};

/** The implementation of a method of a path, and its description in the OpenAPI document. */
export type Operation = {
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
  readonly description: OperationDescription;
};

type DescriptionOf<Responses> = Omit<OperationDescription, 'responses'> & { readonly responses: Responses };

/** Makes an operation of `deps`; the compiler compares the result of `handle` with the described responses. */
export function operation<Deps, const Responses extends Readonly<Record<number, DescribedResponse>>>(
  description: DescriptionOf<Responses>,
  handle: (
    deps: Deps,
    request: ApiRequest,
  ) => Promise<ApiResponse<v.InferOutput<Responses[keyof Responses & number]['schema']>>>,
): (deps: Deps) => Operation {
  return (deps) => ({ description, handle: (request) => handle(deps, request) });
}

/** A path of the API: its methods, each loaded when it is first called. */
export type Resource = {
  readonly get?: () => Promise<Operation>;
  readonly post?: () => Promise<Operation>;
};

/** An API: its resources by path, such as `/events/{id}`. */
export type Resources = Readonly<Record<string, Resource>>;
