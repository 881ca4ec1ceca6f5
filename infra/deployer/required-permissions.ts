/** One permission of each role that the deployer needs on the project; docs/deploy.md has the same roles. */
export const requiredPermissions = {
  'roles/iam.serviceAccountAdmin': 'iam.serviceAccounts.create',
  'roles/iam.serviceAccountUser': 'iam.serviceAccounts.actAs',
  'roles/resourcemanager.projectIamAdmin': 'resourcemanager.projects.setIamPolicy',
  'roles/cloudfunctions.admin': 'cloudfunctions.functions.create',
  'roles/run.admin': 'run.services.setIamPolicy',
  'roles/artifactregistry.admin': 'artifactregistry.repositories.create',
  'roles/storage.admin': 'storage.buckets.create',
  'roles/pubsub.admin': 'pubsub.topics.create',
  'roles/cloudscheduler.admin': 'cloudscheduler.jobs.create',
  'roles/secretmanager.admin': 'secretmanager.secrets.create',
  'roles/logging.configWriter': 'logging.logMetrics.create',
  'roles/monitoring.editor': 'monitoring.alertPolicies.create',
} as const;

/** The same with the setting `iap`. */
export const iapPermissions = { 'roles/iap.admin': 'iap.web.setIamPolicy' } as const;

/** The same for the project of the database instance, in which the logins get their grants. */
export const databasePermissions = {
  'roles/cloudsql.admin': 'cloudsql.instances.login',
  'roles/resourcemanager.projectIamAdmin': 'resourcemanager.projects.setIamPolicy',
} as const;

/** Needed only while an API is not enabled. */
export const apiRole = 'roles/serviceusage.serviceUsageAdmin';
export const apiPermission = 'serviceusage.services.enable';
