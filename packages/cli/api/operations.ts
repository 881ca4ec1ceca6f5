/** A parameter of an operation, or a member of its body. */
export type Field = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly description: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'json';
  /** The allowed values, if they are few. */
  readonly values?: readonly string[];
  readonly isRequired: boolean;
};

/** An operation of the API. */
export type Operation = {
  readonly method: 'get' | 'post';
  /** Such as `/events/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** A member of its answer, in every version of the API; undefined if that is no JSON. */
  readonly answers: string | undefined;
};

/** The operations of the API by their ids, read from its OpenAPI document when this package is built. */
export type Operations = Readonly<Record<string, Operation>>;

/** Returns an operation. Throws for an unknown id: the command line and the API are built together. */
export function findOperation(operations: Operations, id: string): Operation {
  const operation = operations[id];
  if (!operation) throw new Error(`The API has no operation ${id}.`);
  return operation;
}
