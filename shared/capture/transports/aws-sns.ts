import { isObject } from '../../json/parse-json.ts';
import { toText } from '../column-values.ts';
import { toContent } from '../content.ts';
import type { Inbound, Message, ParsedInbound } from '../message.ts';
import { isWholly } from '../wholly.ts';

const names = new Set([
  ...['Type', 'MessageId', 'Token', 'TopicArn', 'Message', 'SubscribeURL', 'Timestamp', 'SignatureVersion'],
  ...['Signature', 'SigningCertURL', 'SigningCertUrl'],
]);

/**
 * A request of SNS that confirms or ends a subscription, which carries no event.
 * https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html
 */
export function readSnsConfirmation({ json }: ParsedInbound): Message[] | undefined {
  if (!isWholly(json, names)) return undefined;
  const { Type, TopicArn, SubscribeURL } = json;
  const isOne = Type === 'SubscriptionConfirmation' || Type === 'UnsubscribeConfirmation';
  return isOne && typeof TopicArn === 'string' && typeof SubscribeURL === 'string' ? [] : undefined;
}

/**
 * The URL that confirms a subscription when an operator opens it, or null. Only URLs of Amazon count: any
 * sender could send another.
 */
export function findSubscribeUrl({ body }: Inbound): string | null {
  const { json } = toContent(body);
  const url = isObject(json) ? toText(json.SubscribeURL) : null;
  return url && /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/[\w?=&:%.~-]*$/.test(url) ? url : null;
}
