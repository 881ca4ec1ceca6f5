import { projectOf } from './connection-name.ts';
import type { Settings } from './settings.ts';

/** Returns a warning for each setting that is allowed and needs attention. */
export function findWarnings(settings: Settings): readonly string[] {
  const { name, project, captureSecrets, operators, alertEmail, notificationChannels } = settings;
  const warnings: string[] = [];
  if (captureSecrets) {
    warnings.push(
      `${name}-signed-capture is open to the internet, because captureSecrets is set: its only protection is the signature.`,
    );
  }
  if (operators.length === 0) {
    warnings.push('operators is empty: no user can replay or act in the console.');
  }
  if (!alertEmail && notificationChannels.length === 0) {
    warnings.push('alertEmail and notificationChannels are not set: alerts appear in Cloud Monitoring only.');
  }
  if (!isWatchable(settings)) {
    warnings.push(
      `Disk and connections of ${settings.existingInstance} are not watched: its metrics are in another project than ${project}. ` +
        'Make sure that its owners have alerts on both.',
    );
  }
  return warnings;
}

/** Whether the project of the alerts has the metrics of the database instance. */
export function isWatchable({ project, existingInstance }: Settings): boolean {
  return existingInstance === '' || projectOf(existingInstance) === project;
}
