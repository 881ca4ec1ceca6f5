import type { Headers } from './event.ts';
import { formats } from './formats/formats.ts';

/** Of events of a kind, if there is one, and if what marks them is among the names, in lower case. */
type Omission = {
  readonly kind?: string;
  readonly isThere: (names: readonly string[]) => boolean;
  readonly omit: RegExp;
};

const aboutFailure = [
  '((original|source)[-._](topic|partition|offset|key|timestamp([-._]type)?)',
  '(error|exception|failure)([-._](class([-._]name)?|type|name|message|reason|code|stack([-._]?trace)?|time(stamp)?))?',
  '(failed|error|dead[-._]lettered)[-._]at|reason|stack([-._]?trace)?|retry[-._]count|retries|attempts?([-._]number)?',
  'delivery[-._]count|(consumer[-._])?group([-._]id)?|consumer)$',
].join('|');

/**
 * The prefix of names, and those of them about the failure. `x-exception-` is Spring's, and `source_` without
 * a prefix Karafka's. Without a prefix, names of one word are the message's.
 */
const ownOmissions = [
  ['(x[-._])?dl[qt][-._]', ''],
  ['x[-._](?!exception)', aboutFailure],
  ['(?!source)(?=.*[-._])', aboutFailure],
].map(([prefix, about]): Omission => {
  const names = (pattern = '') => new RegExp(`^${prefix}${pattern}`, 'i');
  const markers = [names('(original|source)[-._]topic$'), names('(error|exception|failure|reason)([-._]|$)')];
  const isThere = (all: readonly string[]) => markers.every((each) => all.some((name) => each.test(name)));
  return { isThere, omit: names(about) };
});

/** With `.` between the words of their names and without prefix; undefined for other software. */
export function findOwnHeaders(headers: Headers) {
  const names = Object.keys(headers);
  const found = ownOmissions.find(({ isThere }) => isThere(names));
  if (!found) return undefined;
  const own = names.filter((name) => found.omit.test(name));
  const bare = (name: string) => name.toLowerCase().replace(/^((x[-._])?dl[qt]|x)[-._]/, '');
  return new Map(own.map((name) => [bare(name).replaceAll(/[-_]/g, '.'), headers[name] ?? '']));
}

const formatOmissions = formats.flatMap((format): Omission[] => {
  const { name, kind = name, under = '', when = {}, omit } = format;
  const markers = Object.keys(when)
    .map((places) => places.split(' | ').map((place) => (place.includes(':') ? place : under + place)))
    .filter((places) => places.every((place) => place.startsWith('header:')))
    .map((places) => places.map((place) => place.slice('header:'.length).toLowerCase()));
  const isThere = (all: readonly string[]) =>
    markers.every((each) => each.some((name) => all.includes(name)));
  // Only the kind of an event says which transport brought it.
  const isOfTransport = 'transport:sourceKind' in when;
  return omit ? [{ isThere, omit, ...(isOfTransport && kind && { kind }) }] : [];
});

const omissions: readonly Omission[] = [...formatOmissions, ...ownOmissions];

/**
 * By its name: a broker, a bridge or a framework wrote it when the message failed. A consumer that finds its
 * own retry count would stop retrying at once, a message that fails again would carry two of each, and a
 * stack trace is longer than Pub/Sub accepts.
 */
export function findFailureHeaders(headers: Headers, sourceKind = 'unknown'): (name: string) => boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const there = omissions.filter(({ kind = sourceKind, isThere }) => kind === sourceKind && isThere(names));
  return (name) => /^dlo-/i.test(name) || there.some(({ omit }) => omit.test(name));
}

/** Headers that each hop, client and redelivery adds. The function dlq_capture() has the same. */
export const hopHeaders =
  /^(traceparent|tracestate|baggage|b3|date|via|user-agent|from|forwarded|x-forwarded-.*|x-real-ip|x-request-id|x-b3-.*|x-cloud-trace-context|x-amzn-trace-id|x-datadog-.*|sentry-trace|uber-trace-id|grpc-trace-bin|cf-.*|x-envoy-.*|dlo-.*|googclient_.*)$/i;

/** What a sender renews when it sends a request again: it signs each attempt, with its time and number. */
const renewedHeaders =
  /(^|[-_])(signature([-_].*)?|timestamp|(attempt|retry)([-_](num|number|count|reason))?)$/i;

/**
 * The names of headers that are not of the message itself, undefined for none. Its copies differ in them.
 * `isNamed`: of a request with an id, by which its sender repeats it.
 */
export function listPassing(headers: Headers, sourceKind: string, isNamed: boolean) {
  const isOfFailure = findFailureHeaders(headers, sourceKind);
  const isPassing = (name: string) => hopHeaders.test(name) || (isNamed && renewedHeaders.test(name));
  const passing = Object.keys(headers).filter((name) => isPassing(name) || isOfFailure(name));
  return passing.length > 0 ? passing : undefined;
}
