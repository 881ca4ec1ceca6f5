import { findOwnHeaders } from '../../message/formats/application.ts';
import { formats } from '../../message/formats/formats.ts';
import { nameHeaders } from '../header-values.ts';
import type { Failure, Message, Opened } from '../message.ts';
import { compileFormat, matches } from './compile-format.ts';
import { readKafkaFailure } from './kafka-failure.ts';
import { readFailure } from './read-failure.ts';

const compiled = formats.map(compileFormat);

/**
 * By the first format that recognizes a message, or by those of a name. Its facts replace those of the
 * transport.
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
