import type { Fact } from '../../message/formats/format.ts';
import { webhookFormats } from '../../message/formats/webhooks.ts';
import type { Facts } from '../facts.ts';
import { type CompiledFacts, compileFacts, findPlace, readTextFact } from '../formats/compile-format.ts';
import { compilePlaces } from '../formats/places.ts';
import { nameHeaders } from '../header-values.ts';
import { keyFromId } from '../identity.ts';
import type { Opened, Source } from '../message.ts';
import type { SourceRecord } from './source.ts';

export type Addressed = { readonly source: Source | undefined; readonly path: string };

/**
 * `/capture/NAME` is of the source NAME, any other path of `default`. Where captures are signed, NAME has to
 * have a secret of its own: no signature covers the path.
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
  const split = record.split ?? preset?.split;
  const places = compileFacts({ ...preset, ...record }, (at, convert) => compilePlaces(at, '', convert));
  return {
    ...record,
    split,
    declare: (message, sent, isAlone) => {
      const named = nameHeaders({ ...sent.headers, ...message.headers });
      return readDeclared(places, { message, named, sent }, isAlone);
    },
  };
}

/** What each place of a source says: these facts come before all that is read otherwise. */
const declared: Readonly<Partial<Record<Fact, (text: string) => Partial<Facts>>>> = {
  id: (eventId) => ({ eventId, eventKey: keyFromId(eventId) }),
  type: (eventType) => ({ eventType }),
  key: (sourceKey) => ({ sourceKey, sourceKeyBase64: null }),
  consumer: (consumer) => ({ consumer, consumerGroup: consumer }),
  reason: (errorReason) => ({ errorReason }),
};

function readDeclared(facts: CompiledFacts, opened: Opened, isAlone: boolean): Partial<Facts> {
  const told = Object.entries(declared).map(([name, toFacts]) => {
    const fact = name as Fact;
    const [first = [], ...others] = facts.get(fact) ?? [];
    // The headers of a request do not name one of several messages. Later parts may be absent.
    const isOwn =
      fact !== 'id' || isAlone || [first, ...others].flat().every(({ at }) => at.startsWith('json:'));
    const isThere = isOwn && findPlace(first, opened) !== undefined;
    return isThere ? toFacts(readTextFact({ facts }, fact, opened) ?? '') : {};
  });
  return Object.assign({}, ...told);
}
