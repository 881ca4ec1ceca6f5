import type { HeaderValue } from '../events/event.ts';
import { findOwnHeaders } from './formats/application.ts';
import type { Format } from './formats/format.ts';
import { formats } from './formats/formats.ts';
import { transportFormats } from './formats/transports.ts';

type Headers = Readonly<Record<string, HeaderValue>>;

/** The headers by which a record is recognized, as far as the names of its other headers have other uses. */
function listMarkers({ under = '', when = {} }: Format): string[][] {
  return Object.keys(when)
    .map((places) => places.split(' | ').map((place) => (place.includes(':') ? place : under + place)))
    .filter((places) => places.every((place) => place.startsWith('header:')))
    .map((places) => places.map((place) => place.slice('header:'.length).toLowerCase()));
}

const records = [...formats, ...transportFormats].flatMap((format) => {
  const { omit, from, kind = format.name } = format;
  // Of a transport, the name may be any sender's: only the kind of the event says that the record read it.
  return omit ? [{ omit, kind: from && kind, markers: listMarkers(format) }] : [];
});
const distinct = new RegExp(
  records
    .filter(({ kind, markers }) => !kind && markers.length === 0)
    .map(({ omit }) => omit.source)
    .join('|'),
  'i',
);
const marked = records.filter(({ kind, markers }) => kind || markers.length > 0);

/**
 * Returns whether a header of a message is about a failure, by its name: a broker, a bridge or a framework
 * wrote it when the message failed, so that it is no part of the message. A consumer that finds its own retry
 * count in a message would stop retrying at once, a message that fails again would carry two of each, and a
 * stack trace is longer than Pub/Sub accepts.
 */
export function findFailureHeaders(headers: Headers, sourceKind = 'unknown'): (name: string) => boolean {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const there = marked.filter(
    ({ kind, markers }) =>
      (!kind || kind === sourceKind) && markers.every((any) => any.some((name) => names.has(name))),
  );
  const isOwn = findOwnHeaders(headers)?.isOwn ?? (() => false);
  return (name) =>
    distinct.test(name) || /^dlo-/i.test(name) || there.some(({ omit }) => omit.test(name)) || isOwn(name);
}

/** Whether a message is a dead letter: it has a header about a failure other than the product's own. */
export function isDeadLetter(headers: Headers, sourceKind: string): boolean {
  const isOfFailure = findFailureHeaders(headers, sourceKind);
  return Object.keys(headers).some((name) => isOfFailure(name) && !/^dlo-/i.test(name));
}
