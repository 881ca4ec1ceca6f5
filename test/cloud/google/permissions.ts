/**
 * The permissions of each role that the stand-in checks: https://cloud.google.com/iam/docs/roles-permissions
 */
const permissions: Readonly<Record<string, readonly string[]>> = {
  'roles/run.invoker': ['run.routes.invoke'],
  'roles/run.viewer': ['run.services.get', 'run.services.getIamPolicy'],
  'roles/iap.httpsResourceAccessor': ['iap.webServiceVersions.accessViaIAP'],
  'roles/storage.objectViewer': ['storage.objects.get', 'storage.objects.list'],
  'roles/storage.objectCreator': ['storage.objects.create'],
  'roles/artifactregistry.writer': ['artifactregistry.repositories.uploadArtifacts'],
  'roles/logging.logWriter': ['logging.logEntries.create'],
  'roles/secretmanager.secretAccessor': ['secretmanager.versions.access'],
  'roles/cloudsql.client': ['cloudsql.instances.connect', 'cloudsql.instances.get'],
  'roles/cloudsql.instanceUser': ['cloudsql.instances.login', 'cloudsql.instances.get'],
  'roles/cloudsql.admin': [
    'cloudsql.instances.connect',
    'cloudsql.instances.login',
    'cloudsql.instances.get',
  ],
  'roles/pubsub.publisher': ['pubsub.topics.publish'],
  'roles/pubsub.subscriber': ['pubsub.subscriptions.consume', 'pubsub.topics.attachSubscription'],
  'roles/iam.serviceAccountOpenIdTokenCreator': ['iam.serviceAccounts.getOpenIdToken'],
};

/** Whether a role has a permission. An owner has all of them. */
export function hasPermission(role: string, permission: string): boolean {
  return role === 'roles/owner' || (permissions[role]?.includes(permission) ?? false);
}
