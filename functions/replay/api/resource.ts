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
  /** The schemas that its description refers to, as `#/components/schemas/<name>`. */
  readonly schemas?: Description;
};

/** A path of the API: its methods, of which each is brought when it is first asked for. */
export type Resource = {
  readonly get?: () => Promise<Operation>;
  readonly post?: () => Promise<Operation>;
};

/** An API: its paths, such as `/events/{id}`. */
export type Resources = Readonly<Record<string, Resource>>;
