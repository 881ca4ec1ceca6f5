/** The service accounts of a deployment, without its name. */
export const accountNames = [
  'build',
  'capture',
  'signed-capture',
  'retry',
  'replay',
  'console',
  'maintain',
  'capture-push',
  'continue-push',
  'retry-schedule',
  'maintain-schedule',
] as const;
