/** A fact is in one place, `header:NAME` or `json:/POINTER`, or joined from several, of which the first has to be there. */
type Places = readonly string[];

/** A service whose webhooks many have: a record as a source is written, and the headers that identify a request as its own. */
export type Preset = {
  readonly name: string;
  /** Documented headers, all of which its requests have. None: only a source that names the preset is read by it. */
  readonly headers: readonly string[];
  readonly id?: Places;
  readonly type?: Places;
  readonly key?: Places;
  readonly reason?: Places;
  readonly split?: boolean;
};

/** In order of precedence. */
export const presets = [
  {
    // https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers
    name: 'github',
    headers: ['x-github-event', 'x-github-delivery'],
    id: ['header:x-github-delivery'],
    type: ['header:x-github-event', 'json:/action'],
  },
  {
    // https://docs.gitlab.com/user/project/integrations/webhooks/#delivery-headers
    name: 'gitlab',
    headers: ['x-gitlab-event', 'x-gitlab-event-uuid'],
    id: ['header:x-gitlab-event-uuid'],
    type: ['header:x-gitlab-event'],
  },
  {
    // https://shopify.dev/docs/apps/build/webhooks/subscribe#headers
    name: 'shopify',
    headers: ['x-shopify-topic', 'x-shopify-webhook-id'],
    id: ['header:x-shopify-webhook-id'],
    type: ['header:x-shopify-topic'],
    key: ['header:x-shopify-shop-domain'],
  },
  {
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    name: 'standard-webhooks',
    headers: ['webhook-id'],
    id: ['header:webhook-id'],
    type: ['json:/type'],
  },
  {
    // https://docs.svix.com/receiving/verifying-payloads/how
    name: 'svix',
    headers: ['svix-id'],
    id: ['header:svix-id'],
    type: ['json:/type'],
  },
  {
    // https://developers.google.com/workspace/drive/api/guides/push#understanding-drive-api-notification-events
    name: 'google-push',
    headers: ['x-goog-channel-id', 'x-goog-message-number'],
    id: ['header:x-goog-channel-id', 'header:x-goog-message-number'],
    type: ['header:x-goog-resource-state'],
    key: ['header:x-goog-resource-id'],
  },
  {
    // https://cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs#httptarget
    name: 'cloud-scheduler',
    headers: ['x-cloudscheduler-jobname', 'x-cloudscheduler-scheduletime'],
    id: ['header:x-cloudscheduler-jobname', 'header:x-cloudscheduler-scheduletime'],
    type: ['header:x-cloudscheduler-jobname'],
  },
  {
    // https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
    name: 'sendgrid',
    headers: ['x-twilio-email-event-webhook-signature', 'x-twilio-email-event-webhook-timestamp'],
    id: ['header:x-twilio-email-event-webhook-timestamp', 'header:x-twilio-email-event-webhook-signature'],
    type: ['json:/0/event'],
    split: false,
  },
  {
    // https://docs.stripe.com/api/events/object. Its events identify themselves, too: the format `stripe`.
    name: 'stripe',
    headers: [],
    id: ['json:/id'],
    type: ['json:/type'],
  },
  {
    // Webhooks of jobs, such as https://docs.fal.ai/model-apis/model-endpoints/webhooks
    name: 'job-webhook',
    headers: [],
    id: ['json:/request_id'],
    type: ['json:/status'],
    reason: ['json:/error'],
  },
] as const satisfies readonly Preset[];

/** The preset whose headers a message has. */
export function recognize(headers: Readonly<Record<string, unknown>>): Preset | undefined {
  const known: readonly Preset[] = presets;
  return known.find(({ headers: names }) => names.length > 0 && names.every((name) => headers[name]));
}
