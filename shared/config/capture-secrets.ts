import * as v from 'valibot';
import { type Checked, reject } from './validate.ts';
import { type Texts, variable } from './variable.ts';

export const CaptureSecretsSchema = v.object({
  CAPTURE_SECRETS: variable(
    {
      allowed: 'secrets of at least 16 characters, separated by commas',
      description: 'Secrets with one of which every capture must be signed; without them none is signed.',
    },
    v.optional(v.string()),
  ),
});

/** Reads the shared secrets of senders; an empty list means that captures are not signed. */
export function readCaptureSecrets({
  CAPTURE_SECRETS: text,
}: Texts<typeof CaptureSecretsSchema.entries>): Checked<readonly string[]> {
  const secrets = text ? text.split(',').map((secret) => secret.trim()) : [];
  const isWeak = secrets.some((secret) => secret.length < 16);
  if (!isWeak) return { ok: true, value: secrets };
  return reject('CAPTURE_SECRETS', '(set, not shown)', 'Each secret needs at least 16 characters.');
}
