import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../identity/identify-caller.ts';

/** A request as the operations of the API see it: who sent it is proven, and its body is JSON. */
export type ApiRequest = {
  /** What stands for `{id}` and the like in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where none was sent. */
  readonly body: unknown;
  /** The body as it was sent: parsed and printed again, large numbers would be others. */
  readonly text: string;
  readonly caller: Caller;
  readonly now: Date;
};

/** What is answered: a value, or JSON as PostgreSQL wrote it, whose numbers keep all their digits. */
export type Answer = ({ readonly body: unknown } | { readonly json: string }) & {
  /** 200 unless it is said. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Part of an OpenAPI document, as that specification has it. */
export type Description = { readonly [name: string]: unknown };

/** What a method does, and how the OpenAPI document describes it. Problems are described for all of them alike. */
export type Operation = {
  readonly handle: (request: ApiRequest) => Promise<Answer>;
  readonly description: Description & { readonly operationId: string; readonly responses: Description };
};

/** One path of the API, such as `/events/{id}`, with its methods. */
export type Resource = {
  readonly path: string;
  readonly get?: Operation;
  readonly post?: Operation;
  /** The schemas that its descriptions refer to, as `#/components/schemas/<name>`. */
  readonly schemas?: Description;
};
