import type { Settings } from './settings.ts';

/** What is allowed, and ought not to go unnoticed. */
export function findWarnings({ name, captureSecrets, operators, alertEmail }: Settings): readonly string[] {
  const warnings: string[] = [];
  if (captureSecrets) {
    warnings.push(
      `${name}-signed-capture is open to the whole internet, as captureSecrets is set. Only their signature keeps strangers out.`,
    );
  }
  if (operators.length === 0) {
    warnings.push(
      'operators is empty: only who may call every function of the project opens the console and replays.',
    );
  }
  if (!alertEmail) {
    warnings.push('alertEmail is not set: alerts are to be seen in Cloud Monitoring, and nobody is told.');
  }
  return warnings;
}
