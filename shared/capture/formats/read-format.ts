import { findOwnHeaders } from '../../message/formats/application.ts';
import type { Format } from '../../message/formats/format.ts';
import { formats } from '../../message/formats/formats.ts';
import type { Capture, Message } from '../message.ts';
import { codes } from './coded-formats.ts';
import { type CompiledFormat, compileFormat, matches } from './compile-format.ts';
import { readHeaderFailure, readWebhook } from './header-failure.ts';
import { readKafkaFailure } from './kafka-failure.ts';
import { readObjectFailure } from './object-failure.ts';
import type { Opened } from './places.ts';

type Failure = Partial<Capture>;

const readers: Readonly<Record<Format['of'], (compiled: CompiledFormat, opened: Opened) => Failure>> = {
  kafka: readKafkaFailure,
  object: readObjectFailure,
  headers: readHeaderFailure,
  webhook: readWebhook,
};

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
  for (const each of compiled) {
    if (!isAllowed(each.format.name) || !matches(each, opened)) continue;
    const code = each.format.code && codes[each.format.code[0]];
    const failure = code ? code(each, opened) : readers[each.format.of](each, opened);
    if (failure) return { name: each.format.name, failure };
  }
  return undefined;
}

function openMessage({ attributes, ...rest }: Message): Opened {
  const message = attributes ? { ...rest, headers: { ...rest.headers, ...attributes } } : rest;
  const named = Object.entries(message.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { message, named: new Map(named), own: findOwnHeaders(message.headers) };
}
