import { isObject, printJson } from '../../json/parse-json.ts';
import type { Facts } from '../facts.ts';
import { isEmpty, keepExactly, type Members, readMembers } from '../json-members.ts';
import type { Failure, Message, Opened } from '../message.ts';
import { addNotes } from '../notes.ts';
import { type CompiledFormat, findPlace } from './compile-format.ts';

/**
 * The message in the object of a job queue: a member, or all without the members that record its failures.
 * What is neither in the message nor in a column is metadata.
 */
export function splitObject(compiled: CompiledFormat, opened: Opened): Failure {
  const { drops = [] } = compiled.format;
  const { message } = opened;
  const members = readMembers({ value: message.json, source: message.body.toString() }) ?? new Map();
  const [taken] = compiled.facts.get('body') ?? [];
  const found = taken && findPlace(taken, opened);
  const isBeside = (name: string) => (found ? found.place.at !== `json:/${name}` : drops.includes(name));
  const columns = listColumns(compiled, opened);
  const beside = [...members].filter(
    ([name, member]) => isBeside(name) && !columns.has(name) && !isEmpty(member),
  );
  return {
    ...(found
      ? { body: Buffer.from(found.value as string), contentType: 'application/json' }
      : dropMembers(members, drops, message)),
    metadata: addNotes(keepCoordinates(message), {
      envelope: Object.fromEntries(beside.map(([name, member]) => [name, keepExactly(member)])),
    }),
  };
}

function dropMembers(members: Members, drops: readonly string[], { body }: Message) {
  const own = [...members].filter(([name]) => !drops.includes(name));
  const text = own.map(([name, { source }]) => `${printJson(name)}:${source}`).join(',');
  return { body: own.length === members.size ? body : Buffer.from(`{${text}}`) };
}

/** The members whose values are in columns as they are, or are the only element of a list. */
function listColumns({ facts }: CompiledFormat, opened: Opened): ReadonlySet<string> {
  const all = [...facts].filter(([fact]) => !['failure', 'identity', 'condition', 'body'].includes(fact));
  const places = all.flatMap(([, parts]) => (parts ?? []).map((each) => findPlace(each, opened)?.place));
  const { json } = opened.message;
  return new Set(
    places.flatMap((place) => {
      const [, name = '', index] = /^json:\/([^/]+)(\/-1)?/.exec(place?.at ?? '') ?? [];
      const isWhole = place?.at === `json:/${name}` && place.isKept;
      const list = isObject(json) ? json[name] : undefined;
      return isWhole || (index && Array.isArray(list) && list.length <= 1) ? [name] : [];
    }),
  );
}

/** The metadata of the transport with the coordinates that it reported. */
function keepCoordinates({ facts }: Message): Facts['metadata'] {
  const { sourceTopic: topic, sourcePartition: partition, sourceOffset: offset, sourceKey: key } = facts;
  const coordinates = { topic, partition, offset, key, subscription: facts.sourceSubscription };
  const known = Object.entries(coordinates).filter(([, value]) => (value ?? null) !== null);
  return addNotes(facts.metadata, { transport: Object.fromEntries(known) });
}
