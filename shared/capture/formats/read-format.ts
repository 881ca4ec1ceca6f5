import { findOwnHeaders } from '../../message/formats/application.ts';
import { formats } from '../../message/formats/formats.ts';
import { nameHeaders } from '../header-values.ts';
import type { Failure, Message, Opened } from '../message.ts';
import { compileFormat, matches } from './compile-format.ts';
import { readKafkaFailure } from './kafka-failure.ts';
import { readFailure } from './read-failure.ts';

const compiled = formats.map(compileFormat);

/**
 * Reads the facts of a failure that a framework or broker wrote into a message, by the first format that
 * recognizes it, or by those of a name. They replace those of the transport; so do the body, content type and
 * headers, for a format that wraps the failed message. Undefined for a message of no format.
 */
export function readFormat(
  message: Message,
  isAllowed: (name: string) => boolean = () => true,
): { readonly name: string; readonly failure: Failure } | undefined {
  const opened = openMessage(message);
  const found = compiled.find((each) => isAllowed(each.format.name) && matches(each, opened));
  if (!found) return undefined;
  const read = found.format.of === 'kafka' ? readKafkaFailure : readFailure;
  return { name: found.format.name, failure: read(found, opened) };
}

function openMessage({ attributes, ...rest }: Message): Opened {
  const message = attributes ? { ...rest, headers: { ...rest.headers, ...attributes } } : rest;
  const named = nameHeaders(message.headers);
  return { message, named, own: findOwnHeaders(message.headers) };
}
