import { ApiError } from './api-error.ts';
import { find, type Google, list, numberOf } from './google.ts';
import { projectOf } from './iam-methods.ts';
import { isObject, type Json } from './json.ts';
import { isAllowed } from './policies.ts';
import { idTokenOf } from './tokens.ts';

/**
 * A message as Pub/Sub pushes it; `data` is in base64. https://cloud.google.com/pubsub/docs/push#receive_push
 */
export type Message = {
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly orderingKey?: string;
};

/**
 * A request that Pub/Sub or Cloud Scheduler makes with an identity token. Returns the status of the response.
 */
export type Send = (url: string, token: string, body: Json, verb?: string) => Promise<number>;

let lastMessageId = Date.now() * 1000;

/**
 * Publishes messages and pushes them to the subscriptions of the topic. Returns their ids, and a promise of
 * the pushes.
 */
export function publish(
  google: Google,
  send: Send,
  {
    topic,
    caller,
    messages,
  }: { readonly topic: string; readonly caller: string; readonly messages: readonly Message[] },
): { readonly messageIds: string[]; readonly pushed: Promise<void> } {
  find(google, topic);
  const access = {
    member: caller,
    permission: 'pubsub.topics.publish',
    resources: [topic, projectOf(topic)],
  };
  if (!isAllowed(google.policies, access)) {
    throw new ApiError('PERMISSION_DENIED', `${caller} may not publish to ${topic}.`);
  }
  const published = messages.map((message) => {
    lastMessageId += 1;
    return { ...message, messageId: String(lastMessageId), publishTime: new Date().toISOString() };
  });
  const subscriptions = list(google, `${projectOf(topic)}/subscriptions`).filter(
    (each) => each.topic === topic,
  );
  const pushes = subscriptions.flatMap((each) =>
    published.map((message) => push(google, send, each, message)),
  );
  return {
    messageIds: published.map(({ messageId }) => messageId),
    pushed: Promise.all(pushes).then(() => {}),
  };
}

/** Pushes a message up to 5 times, until the endpoint acknowledges it. */
async function push(google: Google, send: Send, subscription: Json, message: Json): Promise<void> {
  const { pushEndpoint, oidcToken } = Object(subscription.pushConfig);
  if (!pushEndpoint || !isObject(oidcToken)) return;
  const account = String(oidcToken.serviceAccountEmail);
  const project = projectOf(String(subscription.name));
  const agent = `serviceAccount:service-${numberOf(project.slice('projects/'.length))}@gcp-sa-pubsub.iam.gserviceaccount.com`;
  const resources = [`${project}/serviceAccounts/${account}`, project];
  const access = { member: agent, permission: 'iam.serviceAccounts.getOpenIdToken', resources };
  if (!isAllowed(google.policies, access)) return;
  const token = idTokenOf(`serviceAccount:${account}`, String(oidcToken.audience));
  for (let deliveryAttempt = 1; deliveryAttempt <= 5; deliveryAttempt += 1) {
    const status = await send(pushEndpoint, token, {
      message,
      subscription: subscription.name,
      deliveryAttempt,
    });
    if ([102, 200, 201, 202, 204].includes(status)) return;
  }
}
