import { type Call, pathOf, type Service } from './call.ts';
import { newEtag } from './etag.ts';
import { find, type Google, insert, list, remove } from './google.ts';
import { applyMask, isObject, type Json } from './json.ts';

/** A collection of an API that has the methods of https://google.aip.dev/130. */
export type Collection = {
  /** `pubsub.googleapis.com/v1` */
  readonly api: string;
  /** `projects/{project}/topics` */
  readonly path: string;
  /** Returns the id of a new resource. */
  readonly id: (call: Call) => string;
  /** Returns a resource as the API returns it, with what the API adds. Throws if the API rejects it. */
  readonly complete: (given: Json, name: string, before: Json | undefined) => Json;
  /** Returns the response to a write; default: the resource. */
  readonly respond?: (resource: Json, verb: 'create' | 'update' | 'delete', name: string) => object;
  /** How a resource is created: by a POST to the collection, or by a PUT of the resource, as in Pub/Sub. */
  readonly createBy?: 'POST' | 'PUT';
};

/** Returns the methods create, get, list, update and delete. */
export function standardMethods(google: Google, collection: Collection): Service {
  const { api, path, complete, createBy = 'POST' } = collection;
  const { respond = (resource, verb) => (verb === 'delete' ? {} : resource) } = collection;
  const { pattern, nameOf } = describePath(path);
  const one = `${api}/{name=${pattern}/*}`;
  const all = `${api}/{parent=${pattern}}`;
  const create = (call: Call) => {
    const name =
      createBy === 'PUT' ? pathOf(call, 'name') : `${pathOf(call, 'parent')}/${collection.id(call)}`;
    const resource = insert(google, name, { ...complete(call.body, name, undefined), etag: newEtag() });
    return respond(resource, 'create', name);
  };
  const update = (call: Call) => {
    const name = pathOf(call, 'name');
    const before = find(google, name);
    const resource = complete(applyMask(before, ...readMask(call)), name, before);
    google.resources.set(name, { ...resource, etag: newEtag() });
    return respond(find(google, name), 'update', name);
  };
  return {
    [createBy === 'PUT' ? `PUT ${one}` : `POST ${all}`]: create,
    [`GET ${one}`]: (call) => find(google, pathOf(call, 'name')),
    [`GET ${all}`]: (call) => ({ [nameOf]: list(google, pathOf(call, 'parent')) }),
    [`PATCH ${one}`]: update,
    [`DELETE ${one}`]: (call) =>
      respond(remove(google, pathOf(call, 'name')), 'delete', pathOf(call, 'name')),
  };
}

function describePath(path: string): { pattern: string; nameOf: string } {
  return { pattern: path.replaceAll(/\{\w+\}/g, '*'), nameOf: path.split('/').at(-1) ?? '' };
}

/**
 * The mask is in the query, or in the body. Pub/Sub has the resource in a field of the body. Without a mask, every
 * field is replaced that came.
 */
function readMask({ query, body }: Call): [source: Json, mask: readonly string[]] {
  const { updateMask = query.get('updateMask'), ...fields } = body;
  const source = [fields.topic, fields.subscription].find(isObject) ?? fields;
  return [source, typeof updateMask === 'string' ? updateMask.split(',') : Object.keys(source)];
}
