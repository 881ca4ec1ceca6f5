import { ApiError } from '../api-error.ts';
import { pathOf, type Service } from '../call.ts';
import { find, type Google } from '../google.ts';
import { iamMethods } from '../iam-methods.ts';
import { isObject, type Json, withDefaults } from '../json.ts';
import { type Message, publish, type Send } from '../publish.ts';
import { standardMethods } from '../standard-methods.ts';

const api = 'pubsub.googleapis.com/v1';

/** https://cloud.google.com/pubsub/docs/reference/rest */
export function pubsub(google: Google, send: Send): Service {
  const topics = standardMethods(google, {
    api,
    path: 'projects/{project}/topics',
    createBy: 'PUT',
    id: () => '',
    complete: (given, name) => ({ ...given, name }),
  });
  const subscriptions = standardMethods(google, {
    api,
    path: 'projects/{project}/subscriptions',
    createBy: 'PUT',
    id: () => '',
    complete: (given, name, before) => {
      if (!before) find(google, String(given.topic));
      return completeSubscription(given, name);
    },
  });
  return {
    ...topics,
    ...subscriptions,
    [`POST ${api}/{topic=projects/*/topics/*}:publish`]: (call) => {
      const { caller, body } = call;
      const messages = body.messages as readonly Message[];
      return {
        messageIds: publish(google, send, { topic: pathOf(call, 'topic'), caller, messages }).messageIds,
      };
    },
    ...iamMethods(google, `${api}/{resource=projects/*/topics/*}`),
    ...iamMethods(google, `${api}/{resource=projects/*/subscriptions/*}`),
  };
}

function completeSubscription(given: Json, name: string): Json {
  const seconds = Number(given.ackDeadlineSeconds ?? 10);
  if (seconds < 10 || seconds > 600) {
    throw new ApiError('INVALID_ARGUMENT', `ackDeadlineSeconds: ${seconds} is not between 10 and 600.`);
  }
  const filled = withDefaults(given, {
    ackDeadlineSeconds: 10,
    messageRetentionDuration: '604800s',
    expirationPolicy: { ttl: '2678400s' },
    pushConfig: {},
    state: 'ACTIVE',
  });
  // A subscription that never expires has a policy without a ttl.
  if (isObject(given.expirationPolicy) && !given.expirationPolicy.ttl) filled.expirationPolicy = {};
  return { ...filled, name };
}
