import type * as pulumi from '@pulumi/pulumi';
import type { Settings } from './settings.ts';

/** The resources and thresholds that the rules watch. */
export type Watched = {
  readonly name: string;
  /** The push subscriptions, and the subscriptions that keep their dead letters. */
  readonly subscriptions: readonly string[];
  readonly deadLetterSubscriptions: readonly string[];
  /** Undefined if the database is not on Cloud SQL, or its metrics are in another project. */
  readonly instance?: WatchedInstance | undefined;
  readonly thresholds: Pick<
    Settings,
    | 'alertPending'
    | 'alertOldestHours'
    | 'alertFailedPermanently'
    | 'alertTickHours'
    | 'alertNewGroups'
    | 'alertRegressedGroups'
    | 'schedule'
    | 'paused'
    | 'alertInflowRatio'
    | 'alertDiskDays'
  >;
};

export type WatchedInstance = {
  /** `project:instance` */
  readonly id: pulumi.Input<string>;
  /** The database of the deployment on an instance that others use, too. */
  readonly sharedDatabase?: pulumi.Input<string> | undefined;
  readonly plannableConnections: number;
};

/** `id` is also the heading in docs/runbook.md with the steps for the operator. */
export type AlertRule = {
  readonly id: string;
  readonly title: string;
  readonly query: pulumi.Input<string>;
  readonly forSeconds: number;
  readonly severity: 'CRITICAL' | 'ERROR' | 'WARNING';
  readonly meaning: string;
};
