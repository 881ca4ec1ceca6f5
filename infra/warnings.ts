import type { Settings } from './settings.ts';

/** Returns a warning for each setting that is allowed and needs attention. */
export function findWarnings({ name, captureSecrets, operators, alertEmail }: Settings): readonly string[] {
  const warnings: string[] = [];
  if (captureSecrets) {
    warnings.push(
      `${name}-signed-capture is open to the internet, because captureSecrets is set: its only protection is the signature.`,
    );
  }
  if (operators.length === 0) {
    warnings.push('operators is empty: no user can replay or act in the console.');
  }
  if (!alertEmail) {
    warnings.push('alertEmail is not set: alerts appear in Cloud Monitoring only.');
  }
  return warnings;
}
