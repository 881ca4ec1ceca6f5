import { webhookFormats } from '../../message/formats/webhooks.ts';
import { toContent } from '../content.ts';
import {
  type CompiledFormat,
  compileFormat,
  matches,
  readFacts,
  readTextFact,
} from '../formats/compile-format.ts';
import { openRequest } from '../formats/take-message.ts';
import { nameHeaders } from '../header-values.ts';
import type { ParsedInbound, Source } from '../message.ts';
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

const listIds = ({ facts }: CompiledFormat) => (facts.get('id') ?? []).flat().map(({ at }) => at);

/** Like a webhook's own format, but its facts come before all that is read otherwise. */
function complete(record: SourceRecord): Source {
  const preset = webhookFormats.find(({ name }) => name === record.preset);
  const scope = record.consumer;
  const compiled = compileFormat({ source: '', ...preset, ...record, scope, of: 'webhook', kind: null });
  const isIdInBody = listIds(compiled).every((at) => at.startsWith('json:'));
  return {
    ...record,
    split: record.split ?? preset?.split ?? (record.format === 'message' ? false : undefined),
    declare: (message, isAlone) => {
      const named = nameHeaders({ ...message.request.headers, ...message.headers });
      const { eventId, eventKey, ...told } = readFacts(compiled, { ...message, named, facts: {} });
      return {
        ...told,
        ...(told.sourceKey && { sourceKeyBase64: null }),
        // The headers of a request do not name one of several messages.
        ...((isAlone || isIdInBody) && eventKey !== undefined && { eventId, eventKey }),
      };
    },
  };
}

const webhooks = webhookFormats.map(compileFormat);

/** Far more than the first line of a webhook of lines has. */
const maxFirstLine = 4096;

/**
 * By all headers that a service documents, even if no signature covers them, or by its members, also those of
 * its first line; and the id in headers, which its service repeats with the delivery.
 */
export function recognizeWebhook(request: ParsedInbound) {
  const headers = { ...request.unsignedHeaders, ...request.headers };
  const end = request.json === undefined ? request.body.subarray(0, maxFirstLine).indexOf('\n') : -1;
  const content = end === -1 ? request : toContent(request.body.subarray(0, end));
  const opened = openRequest({ ...request, ...content, headers });
  const found = webhooks.filter((each) => matches(each, opened));
  const named = found.find((each) => listIds(each).some((at) => at.startsWith('header:')));
  const id = named ? readTextFact(named, 'id', opened) : null;
  return {
    split: found.find(({ format }) => format.split !== undefined)?.format.split,
    delivery: id === null ? null : `${named?.format.name}:${id}`,
  };
}

/** The headers by which services name one message. */
export const webhookIds: readonly string[] = webhooks
  .flatMap(listIds)
  .flatMap((at) => (at.startsWith('header:') ? [at.slice('header:'.length)] : []));
