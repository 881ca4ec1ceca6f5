import type * as pulumi from '@pulumi/pulumi';
import type { Alert } from '../shared/metrics/metric.ts';
import { measured } from './promql.ts';
import type { Settings } from './settings.ts';

/** The resources and settings that alerts and dashboard watch. */
export type Watched = {
  readonly settings: Settings;
  /** The push subscriptions, and the subscriptions that keep their dead letters. */
  readonly subscriptions: readonly string[];
  readonly deadLetterSubscriptions: readonly string[];
  /** `project:instance`; undefined if it is not on Cloud SQL, or its metrics are in another project. */
  readonly instance: pulumi.Output<string> | undefined;
};

export type AlertRule = Omit<Alert, 'above' | 'atLeast'> & { readonly query: string };

export const minute = 60;
export const hour = 3600;

/** A selector of a metric of the instance, which has a name once it exists: until then a placeholder. */
const instanceLabel = 'database_id="$INSTANCE"';

/** Returns a selector for a metric of the database instance. */
export function ofInstance(metric: string, labels = ''): string {
  return measured(`cloudsql.googleapis.com/database/${metric}`, 'cloudsql_database', instanceLabel + labels);
}

/** Puts the name of the instance into a text with such selectors. */
export function nameInstance(text: string, { instance }: Watched): pulumi.Input<string> {
  if (!instance || !text.includes('$INSTANCE')) return text;
  return instance.apply((id) => text.replaceAll('$INSTANCE', id));
}
