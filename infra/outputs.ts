import type * as pulumi from '@pulumi/pulumi';

/** The outputs of a deployment. */
export type Outputs = {
  /** The address of each function. */
  readonly urls: Readonly<Record<string, pulumi.Output<string>>>;
  /** Topic to which sources publish failures. */
  readonly captureTopic: pulumi.Output<string>;
  /** The service account that delivers. HTTP targets must admit it; topics of routes already do. */
  readonly deliveryIdentity: pulumi.Output<string>;
  /** The step that remains at each source, by its name. */
  readonly sources: Readonly<Record<string, pulumi.Output<string>>>;
  /** A dashboard in the format of Cloud Monitoring, as JSON. */
  readonly dashboard: pulumi.Output<string>;
  /** Commands for operators. */
  readonly next: Readonly<Record<string, pulumi.Input<string>>>;
};
