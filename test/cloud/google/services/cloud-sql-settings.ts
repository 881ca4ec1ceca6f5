import { type Json, withDefaults } from '../json.ts';

/**
 * Fills in the settings of an instance as Cloud SQL returns them. `serverCertificateRotationMode` is not
 * among them: the provider would see a difference in every update.
 */
export function completeSettings(given: Json, before: Json | undefined): Json {
  const version = Number(before?.settingsVersion ?? 0) + 1;
  return {
    ...withDefaults(given, {
      kind: 'sql#settings',
      activationPolicy: 'ALWAYS',
      pricingPlan: 'PER_USE',
      replicationType: 'SYNCHRONOUS',
      dataDiskSizeGb: '10',
      dataDiskType: 'PD_SSD',
      storageAutoResizeLimit: '0',
      locationPreference: { kind: 'sql#locationPreference', zone: 'europe-west1-b' },
      backupConfiguration: {
        kind: 'sql#backupConfiguration',
        transactionalLogStorageState: 'CLOUD_STORAGE',
        backupTier: 'STANDARD',
      },
      insightsConfig: { queryStringLength: 1024, queryPlansPerMinute: 5 },
    }),
    settingsVersion: String(version),
  };
}
