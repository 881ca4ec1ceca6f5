import { splitConnectionName } from './connection-name.ts';
import { isKnown } from './setting-schemas.ts';
import type { Settings } from './settings.ts';

/** Returns a warning for each setting that is allowed and needs attention. */
export function findWarnings(settings: Settings): readonly string[] {
  const { name, project, captureSecrets, ingress, operators, alertEmail, notificationChannels } = settings;
  return [
    captureSecrets !== '' &&
      ingress === 'ALLOW_ALL' &&
      `${name}-signed-capture is open to the internet, because captureSecrets is set: its only protection is the signature.`,
    operators.length === 0 && 'operators is empty: no user can replay or act in the console.',
    alertEmail === '' &&
      notificationChannels.length === 0 &&
      'alertEmail and notificationChannels are not set: alerts appear in Cloud Monitoring only.',
    !isWatchable(settings) &&
      `Disk and connections of ${settings.existingInstance} are not watched: its metrics are in another project than ${project}. ` +
        'Make sure that its owners have alerts on both.',
  ].filter((warning) => warning !== false);
}

/** Whether the project of the alerts has the metrics of the database instance, as it has if both are outputs. */
export function isWatchable({ project, existingInstance }: Settings): boolean {
  if (!isKnown([project, existingInstance]) || typeof existingInstance !== 'string') return true;
  return existingInstance === '' || splitConnectionName(existingInstance).project === project;
}
