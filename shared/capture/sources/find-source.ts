import { type Fact, facts, type Places } from '../../message/formats/format.ts';
import { webhookFormats } from '../../message/formats/webhooks.ts';
import type { Facts } from '../facts.ts';
import { type CompiledFacts, compileFacts, findPlace, readTextFact } from '../formats/compile-format.ts';
import { keyFromId } from '../identity.ts';
import type { Opened, Source } from '../message.ts';
import { mediaTypes, type SourceRecord } from './source.ts';

/** A request's source, and what follows its name in the path. */
export type Addressed = { readonly source: Source | undefined; readonly path: string };

/**
 * Opens the sources of a deployment: `/capture/NAME` is that of the source NAME, any other path that of
 * `default`. Where captures are signed, NAME has to be a source with a secret of its own: no signature covers
 * the path.
 */
export function openSources(records: readonly SourceRecord[], isSigned = false): (path: string) => Addressed {
  const usable = records.filter(
    ({ name, secret }) => !isSigned || name === 'default' || secret !== undefined,
  );
  const sources = new Map(usable.map((record) => [record.name, complete(record)]));
  return (path) => {
    const [, start = '', name = ''] = /^(\/+(?:capture(?=\/|$))?\/*)([^/]*)/.exec(path) ?? [];
    const named = name === 'default' ? undefined : sources.get(name);
    if (named) return { source: named, path: path.slice(start.length + name.length) || '/' };
    return { source: sources.get('default'), path };
  };
}

function complete(record: SourceRecord): Source {
  const preset = webhookFormats.find(({ name }) => name === record.preset);
  const mediaType = mediaTypes[record.format ?? ''];
  const split = record.split ?? preset?.split;
  const own = record as Partial<Readonly<Record<Fact, Places>>>;
  const places = compileFacts(Object.fromEntries(facts.map((fact) => [fact, own[fact] ?? preset?.[fact]])));
  return {
    ...record,
    split,
    ...(mediaType !== undefined && { mediaType }),
    declare: (message, sent, isAlone) => {
      const headers = { ...sent.headers, ...message.headers };
      const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      return readDeclared(places, { message, named, sent }, isAlone);
    },
  };
}

/** The facts that are where a source says that they are: they come before all that is read otherwise. */
function readDeclared(places: CompiledFacts, opened: Opened, isAlone: boolean): Partial<Facts> {
  const text = (fact: Fact) => {
    // Later parts may be absent.
    const isThere = findPlace(places.get(fact)?.[0] ?? [], opened) !== undefined;
    return isThere ? readTextFact({ facts: places }, fact, opened) : null;
  };
  const isOwn =
    isAlone ||
    places
      .get('id')
      ?.flat()
      .every(({ at }) => at.startsWith('json:'));
  const [id, type, key] = [isOwn ? text('id') : null, text('type'), text('key')];
  const [consumer, reason] = [text('consumer'), text('reason')];
  return {
    ...(id !== null && { eventId: id, eventKey: keyFromId(id) }),
    ...(type !== null && { eventType: type }),
    ...(key !== null && { sourceKey: key, sourceKeyBase64: null }),
    ...(consumer !== null && { consumer, consumerGroup: consumer }),
    ...(reason !== null && { errorReason: reason }),
  };
}
