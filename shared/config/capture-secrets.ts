import { defineText, type Texts } from './setting.ts';
import { type Checked, reject } from './validate.ts';

export const captureSecretSettings = {
  CAPTURE_SECRETS: defineText(
    { allowed: 'secrets of at least 16 characters, separated by commas', readBy: ['capture'] },
    'Secrets with one of which every capture must be signed; without them none is signed.',
  ),
};

/** Reads the shared secrets of senders; an empty list means that captures are not signed. */
export function readCaptureSecrets({
  CAPTURE_SECRETS: text,
}: Texts<typeof captureSecretSettings>): Checked<readonly string[]> {
  const secrets = text ? text.split(',').map((secret) => secret.trim()) : [];
  const isWeak = secrets.some((secret) => secret.length < 16);
  if (!isWeak) return { ok: true, value: secrets };
  return reject('CAPTURE_SECRETS', '(set, not shown)', 'Each secret needs at least 16 characters.');
}
