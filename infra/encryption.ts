import type * as pulumi from '@pulumi/pulumi';

type Encrypt = (key: string, props: pulumi.Inputs) => pulumi.Inputs;

/** How each resource type that stores data names its key. */
const encryptionOf: Readonly<Record<string, Encrypt>> = {
  // Cloud Functions requires the same key on the function and on the repository of its images.
  'gcp:artifactregistry/repository:Repository': (kmsKeyName) => ({ kmsKeyName }),
  'gcp:cloudfunctionsv2/function:Function': (kmsKeyName) => ({ kmsKeyName }),
  'gcp:pubsub/topic:Topic': (kmsKeyName) => ({ kmsKeyName }),
  'gcp:secretmanager/secret:Secret': (kmsKeyName, { replication }) => ({
    replication: {
      userManaged: {
        replicas: replication.userManaged.replicas.map((replica: object) => ({
          ...replica,
          customerManagedEncryption: { kmsKeyName },
        })),
      },
    },
  }),
  'gcp:sql/databaseInstance:DatabaseInstance': (encryptionKeyName) => ({ encryptionKeyName }),
  'gcp:storage/bucket:Bucket': (defaultKmsKeyName) => ({ encryption: { defaultKmsKeyName } }),
};

/**
 * Returns a transformation that encrypts everything that a deployment stores with a key of Cloud KMS; '':
 * Google's keys.
 */
export function encryptWith(key: string): pulumi.ResourceTransformation {
  return ({ type, props, opts }) => {
    const encrypt = encryptionOf[type];
    return key && encrypt ? { props: { ...props, ...encrypt(key, props) }, opts } : undefined;
  };
}
