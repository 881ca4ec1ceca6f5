import type * as pulumi from '@pulumi/pulumi';

/** The property of each resource type that takes labels. Types that are not listed have none. */
const labelsOf: Readonly<Record<string, 'labels' | 'userLabels'>> = {
  'gcp:artifactregistry/repository:Repository': 'labels',
  'gcp:cloudfunctionsv2/function:Function': 'labels',
  'gcp:monitoring/alertPolicy:AlertPolicy': 'userLabels',
  'gcp:monitoring/notificationChannel:NotificationChannel': 'userLabels',
  'gcp:pubsub/subscription:Subscription': 'labels',
  'gcp:pubsub/topic:Topic': 'labels',
  'gcp:secretmanager/secret:Secret': 'labels',
  'gcp:storage/bucket:Bucket': 'labels',
};

/** Returns a transformation that labels every resource of a deployment that can have labels. */
export function labelWith(labels: Readonly<Record<string, string>>): pulumi.ResourceTransformation {
  return ({ type, props, opts }) => {
    if (Object.keys(labels).length === 0) return undefined;
    const property = labelsOf[type];
    if (property) return { props: { ...props, [property]: labels }, opts };
    if (type !== 'gcp:sql/databaseInstance:DatabaseInstance') return undefined;
    return { props: { ...props, settings: { ...props.settings, userLabels: labels } }, opts };
  };
}
