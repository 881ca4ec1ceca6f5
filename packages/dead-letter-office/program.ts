// `npx dead-letter-office`: what `npm start` runs in a clone; `reset` deletes its data.
const [command, ...others] = process.argv.slice(2);
if (command === 'reset' && others.length === 0) await import('../../local/reset.ts');
else await import('../../local/start.ts');

export {};
