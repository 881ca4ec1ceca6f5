import * as pulumi from '@pulumi/pulumi';
import { dynamicProvider, locateCode } from '../dynamic-provider.ts';
import type { Inputs } from './check-access.ts';

export type PrivateServiceArgs = {
  /** `projects/PROJECT/locations/REGION/services/SERVICE` */
  readonly service: pulumi.Input<string>;
  /** Identity-Aware Proxy authenticates its callers. */
  readonly iap: boolean;
};

/**
 * A service of Cloud Run that only named members may call: each preview and update fails while everyone may. It also switches
 * Identity-Aware Proxy, for which Cloud Functions has no setting, and again after an update that switched it off.
 */
export class PrivateService extends pulumi.dynamic.Resource {
  constructor(name: string, { service, iap }: PrivateServiceArgs, opts?: pulumi.CustomResourceOptions) {
    const inputs: { [Field in keyof Inputs]: pulumi.Input<Inputs[Field]> } = {
      service,
      iap,
      code: locateCode(import.meta.dirname, 'check-access'),
    };
    super(dynamicProvider, name, inputs, opts, 'dead-letter-office', 'PrivateService');
  }
}
