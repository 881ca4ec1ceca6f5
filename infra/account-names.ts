import { functionNames } from '../shared/config/setting.ts';

/** The service accounts of a deployment, without its name. */
export const accountNames = [
  'build',
  ...functionNames,
  'signed-capture',
  'capture-push',
  'continue-push',
  'retry-schedule',
  'maintain-schedule',
] as const;
