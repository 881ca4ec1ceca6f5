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
    warnings.push('operators is empty: nobody can act in the console, or replay.');
  }
  if (!alertEmail) {
    warnings.push('alertEmail is not set: alerts are to be seen in Cloud Monitoring, and nobody is told.');
  }
  return warnings;
}
