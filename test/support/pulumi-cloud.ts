import * as pulumi from '@pulumi/pulumi';

type Inputs = Readonly<Record<string, unknown>>;

/** The fields that Google Cloud adds to a resource that it makes. */
const madeUp: Readonly<Record<string, (inputs: Inputs, name: string) => Inputs>> = {
  'gcp:serviceaccount/account:Account': ({ project, accountId }) => {
    const email = `${accountId}@${project}.iam.gserviceaccount.com`;
    return {
      uniqueId: `id of ${accountId}`,
      email,
      member: `serviceAccount:${email}`,
      name: `projects/${project}/serviceAccounts/${email}`,
    };
  },
  'gcp:projects/serviceIdentity:ServiceIdentity': ({ project, service }) => ({
    email: 'service-1234567890@gcp-sa-iap.iam.gserviceaccount.com',
    member: `serviceAccount:service-of-${project}@gcp-sa-${String(service).split('.')[0]}.iam.gserviceaccount.com`,
  }),
  'gcp:sql/databaseInstance:DatabaseInstance': ({ project, region }, name) => ({
    name: `${name}-1a2b3c4`,
    connectionName: `${project}:${region}:${name}-1a2b3c4`,
  }),
  'gcp:cloudfunctionsv2/function:Function': ({ name, serviceConfig }) => ({
    url: `https://somewhere.cloudfunctions.net/${name}`,
    serviceConfig: { ...Object(serviceConfig), uri: `https://${name}-abc123-ew.a.run.app` },
  }),
  'pulumi-nodejs:dynamic/dead-letter-office:BuildAttempts': ({ deployments }) => ({
    attempts: Object.fromEntries(Object.keys(Object(deployments)).map((service) => [service, '1'])),
  }),
  'gcp:pubsub/topic:Topic': ({ project, name }) => ({ id: `projects/${project}/topics/${name}` }),
  'gcp:artifactregistry/repository:Repository': ({ project, location, repositoryId }) => ({
    id: `projects/${project}/locations/${location}/repositories/${repositoryId}`,
    name: repositoryId,
  }),
  'gcp:storage/bucket:Bucket': (_inputs, name) => ({ name: `${name}-5d6e7f8` }),
  'gcp:secretmanager/secret:Secret': ({ project, secretId }) => ({
    id: `projects/${project}/secrets/${secretId}`,
  }),
  'gcp:secretmanager/secretVersion:SecretVersion': () => ({ version: '1' }),
  'gcp:monitoring/notificationChannel:NotificationChannel': ({ project }) => ({
    name: `projects/${project}/notificationChannels/1`,
  }),
};

/**
 * Answers to Pulumi's mocks as Google Cloud would after an update, or as Pulumi does before it, knowing
 * nothing. `neverMade` is a function that failed to be built.
 */
export function answerAsCloud(isPreview: boolean, neverMade?: string): pulumi.runtime.Mocks['newResource'] {
  return ({ type, name, inputs }) => {
    if (name === neverMade) return { id: name, state: { ...inputs, serviceConfig: {} } };
    const { id = name, ...added } = madeUp[type]?.(inputs, name) ?? {};
    if (!isPreview) return { id: String(id), state: { ...inputs, ...added } };
    const hidden = Object.fromEntries(Object.keys(added).map((key) => [key, pulumi.runtime.unknownValue]));
    return { id: undefined, state: { ...inputs, ...hidden } };
  };
}

/** The one thing that the program asks: a token of a provider, which is named after it. */
export const answerCall: pulumi.runtime.Mocks['call'] = ({ token, provider = '' }) => {
  if (token !== 'gcp:organizations/getClientConfig:getClientConfig') throw new Error(`It asks ${token}.`);
  return { accessToken: `token of ${provider.split('::').at(-2) || 'the stack'}` };
};
