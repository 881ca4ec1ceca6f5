import { createHash } from 'node:crypto';
import { ApiError, type Status } from './api-error.ts';
import type { Json } from './json.ts';
import { createPolicies, type Policies } from './policies.ts';
import type { Revision } from './revision.ts';

/** The state of the stand-in, which all services share. */
export type Google = {
  /** Resources by their full name, such as `projects/acme/topics/orders`. */
  readonly resources: Map<string, Json>;
  readonly policies: Policies;
  /** The serving revision of each Cloud Run service. A failed build leaves it unchanged. */
  readonly revisions: Map<string, Revision>;
  /** Called with the name of a resource that was deleted. */
  readonly onDelete: ((name: string) => void)[];
  readonly faults: Fault[];
  /** Whether an update of a function makes its service anew, without its policy. */
  losesPolicies: boolean;
  /** How many of the next service identities are created without an answer of their address. */
  withheldIdentities: number;
  /** Whether new logins of a database get none of the roles that were asked for. */
  ignoresDatabaseRoles: boolean;
  /** Every call so far: `PATCH pubsub.googleapis.com/v1/projects/acme/topics/orders`. */
  readonly calls: string[];
  /** The IAM members that called. */
  readonly callers: Set<string>;
};

/** Calls that fail instead of being carried out. */
export type Fault = {
  /** Matched against the method and the address, as in `calls`. */
  readonly call: RegExp;
  readonly status: Status;
  readonly message?: string;
  times: number;
};

export function createGoogle(): Google {
  return {
    resources: new Map(),
    policies: createPolicies(),
    revisions: new Map(),
    onDelete: [],
    faults: [],
    losesPolicies: false,
    withheldIdentities: 0,
    ignoresDatabaseRoles: false,
    calls: [],
    callers: new Set(),
  };
}

/** Throws NOT_FOUND. */
export function find(google: Google, name: string): Json {
  const found = google.resources.get(name);
  if (!found) throw new ApiError('NOT_FOUND', `Resource '${name}' was not found.`);
  return found;
}

/** Throws ALREADY_EXISTS. */
export function insert(google: Google, name: string, resource: Json): Json {
  if (google.resources.has(name)) throw new ApiError('ALREADY_EXISTS', `Resource '${name}' already exists.`);
  google.resources.set(name, resource);
  return resource;
}

/** Deletes a resource, those below it, and their policies. Throws NOT_FOUND. */
export function remove(google: Google, name: string): Json {
  const found = find(google, name);
  for (const each of [...google.resources.keys()]) {
    if (each !== name && !each.startsWith(`${name}/`)) continue;
    google.resources.delete(each);
    google.policies.bindings.delete(each);
    google.revisions.delete(each);
    for (const listener of google.onDelete) listener(each);
  }
  return found;
}

/** Returns the resources of a collection such as `projects/acme/topics`. */
export function list(google: Google, collection: string): Json[] {
  const isDirect = (name: string) =>
    name.startsWith(`${collection}/`) && !name.slice(collection.length + 1).includes('/');
  return [...google.resources].filter(([name]) => isDirect(name)).map(([, resource]) => resource);
}

/** The number of a project: some APIs name resources by it. */
export function numberOf(project: string): string {
  const digits = BigInt(`0x${createHash('sha256').update(project).digest('hex').slice(0, 12)}`);
  return String(100_000_000_000n + (digits % 900_000_000_000n));
}
