import { restoreBody, type StoredMessage } from '../message/restore-body.ts';

/**
 * The JSON text of an object with the bytes of a message as its last member, `bodyBase64`; null without a
 * message.
 */
export function appendBody(json: string, message: StoredMessage | null): string {
  const body = message === null ? null : restoreBody(message).toString('base64');
  return `${json.slice(0, -1)},"bodyBase64":${JSON.stringify(body)}}`;
}
