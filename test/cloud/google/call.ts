import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from './json.ts';

/** One call of a method. */
export type Call = {
  readonly verb: string;
  /** Host and path. */
  readonly address: string;
  /** The variables of the path template. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  readonly bytes: Buffer;
  /** The IAM member whose token came with it. */
  readonly caller: string;
};

export type Method = (call: Call) => object | Promise<object>;

/**
 * Methods by verb, host and path template, as in `GET pubsub.googleapis.com/v1/projects/{project}/topics`.
 */
export type Service = Readonly<Record<string, Method>>;

/** Returns a variable of the path. */
export function pathOf({ path }: Call, name: string): string {
  const value = path[name];
  if (value === undefined) throw new Error(`The path has no variable ${name}.`);
  return value;
}
