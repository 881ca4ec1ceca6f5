import { findOwnHeaders } from '../../message/formats/application.ts';
import { formats } from '../../message/formats/formats.ts';
import { type Content, toContent } from '../content.ts';
import { nameHeaders } from '../header-values.ts';
import type { Failure, Message } from '../message.ts';
import { compileFormat, matches } from './compile-format.ts';
import { readKafkaFailure } from './kafka-failure.ts';
import { readFailure } from './read-failure.ts';

const compiled = formats.map(compileFormat);

/**
 * What the first format says that recognizes a message, by its text, and the content that it took out, or all
 * of it.
 */
export function readFormat({ text, attributes, ...message }: Message, isAllowed: (name: string) => boolean) {
  const body = text === undefined ? message.body : Buffer.from(text);
  const headers = { ...message.headers, ...attributes };
  const opened = {
    message: { ...message, body, headers },
    named: nameHeaders(headers),
    own: findOwnHeaders(headers),
  };
  const found = compiled.find((each) => isAllowed(each.format.name) && matches(each, opened));
  const read = found?.format.of === 'kafka' ? readKafkaFailure : readFailure;
  const { body: taken, ...failure }: Failure = found ? read(found, opened) : {};
  const isTaken = taken !== undefined && taken !== body;
  const content: Content & { text?: string | undefined } = isTaken
    ? toContent(taken)
    : { body: message.body, json: message.json, text };
  return { format: found?.format.name ?? null, failure, content };
}
