import { registerDeployment } from './register-deployment.ts';

// A process beside that of the tests: it registers one deployment for each message.
process.on('message', async ({ settings, options }: Record<'settings' | 'options', never>) => {
  process.send?.(await registerDeployment(settings, options));
});
